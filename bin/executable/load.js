import { Script } from "node:vm";

/**
 * Loads the built command out of wherever it is kept: `textOf` gives the text of one of its files,
 * `cacheOf` what V8 has compiled of it before, if anything. To the files themselves they all lie in the
 * folder `root`. Gives what loads one, and the scripts of those that are loaded.
 */
export function loader({ root, textOf, cacheOf }) {
  const modules = new Map();
  const scripts = new Map();

  function load(name) {
    const known = modules.get(name);
    if (known) return known.exports;
    const filename = root + name;
    const script = new Script(wrapped(textOf(name)), { filename, cachedData: cacheOf(name) });
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

/** The text of a CommonJS file as the function that it is the body of. */
export function wrapped(text) {
  return `(function (exports, require, module, __filename) {${text}\n})`;
}
