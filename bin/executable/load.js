import { Script } from "node:vm";

/**
 * Loads the built command's files: `textOf` gives the text of a file, `cacheOf` its code as V8 compiled it
 * before, if there is any. The files see themselves in the folder `root`. Gives the function that loads a
 * file, and the scripts of those that are loaded.
 */
export function loader({ root, textOf, cacheOf }) {
  const modules = new Map();
  const scripts = new Map();

  function load(name) {
    const known = modules.get(name);
    if (known) return known.exports;
    const filename = root + name;
    const script = new Script(wrapModule(textOf(name)), { filename, cachedData: cacheOf(name) });
    const module = { exports: {} };
    modules.set(name, module);
    scripts.set(name, script);
    script.runInThisContext()(module.exports, require, module, filename);
    return module.exports;
  }

  function require(id) {
    if (id.startsWith("./")) return load(id.slice("./".length));
    const builtin = process.getBuiltinModule(id);
    if (builtin) return builtin;
    throw Object.assign(new Error(`${id} is not here.`), { code: "MODULE_NOT_FOUND" });
  }

  return { load, scripts };
}

/** A CommonJS file is the body of a function. */
export function wrapModule(text) {
  return `(function (exports, require, module, __filename) {${text}\n})`;
}
