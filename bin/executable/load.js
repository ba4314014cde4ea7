import { Script } from "node:vm";

/**
 * Loads the built command's files: `read` gives the text of a file, and its code as V8 compiled it before, if there
 * is any. The files see themselves in the folder `root`, and stack traces and compiled code name them in
 * `namedRoot`; `requireOther` gives what is neither among them nor a part of Node. Gives the function that loads a
 * file, and the scripts of those that are loaded; `onLoad` gets each before it runs.
 */
export function loader({ root, namedRoot = root, read, requireOther = refuse, onLoad = () => {} }) {
  const modules = new Map();
  const scripts = new Map();

  function load(name) {
    const known = modules.get(name);
    if (known) return known.exports;
    const filename = root + name;
    const { text, code } = read(name);
    const script = new Script(wrapModule(text), { filename: namedRoot + name, cachedData: code });
    const module = { exports: {} };
    modules.set(name, module);
    scripts.set(name, script);
    onLoad(name, script);
    script.runInThisContext()(module.exports, require, module, filename);
    return module.exports;
  }

  function require(id) {
    if (id.startsWith("./")) return load(id.slice("./".length));
    return process.getBuiltinModule(id) ?? requireOther(id);
  }

  return { load, scripts };
}

function refuse(id) {
  throw Object.assign(new Error(`${id} is not here.`), { code: "MODULE_NOT_FOUND" });
}

/** A CommonJS file is the body of a function. */
export function wrapModule(text) {
  return `(function (exports, require, module, __filename) {${text}\n})`;
}
