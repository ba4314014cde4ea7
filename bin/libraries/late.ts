// Loads modules of libraries when they are first used, so that a command starts sooner. No library's text is
// read or changed: where a library requires a module, it gets a stand-in.
import { createRequire, isBuiltin } from "node:module";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { types } from "node:util";
import type { OnResolveArgs, PluginBuild } from "esbuild";

/**
 * The library files whose path matches `from` load these `modules` late, by the names that they require:
 * without a list all of them, except those of `atOnce`.
 */
export type LateRule = { from: RegExp; modules?: string[]; atOnce?: string[] };

const here = fileURLToPath(new URL(".", import.meta.url));
const require = createRequire(import.meta.url);
const namespace = "late";

/**
 * A plugin for esbuild, and its findings in all builds that use it: `late` has the names that each file
 * requires late, `missing` those that the rules expect and no file requires. A build fails where such a file loads
 * a module by an import statement, and where a module is neither a function nor an object. A stand-in is named by its
 * module's path below the current folder: the built text has the name, and must be the same wherever it is built.
 */
export function loadLate(rules: readonly LateRule[]) {
  const late = new Map<string, Set<string>>();
  const found = new Map(rules.map((rule) => [rule, new Set<string>()]));
  const plugin = {
    name: "load-late",
    setup(esbuild: PluginBuild) {
      esbuild.onResolve({ filter: /.*/, namespace: "file" }, async (args) => {
        const { path, importer, kind, resolveDir, pluginData } = args;
        const rule = pluginData === namespace ? undefined : ruleFor(rules, args);
        if (!rule || kind === "dynamic-import") return undefined; // late by itself
        if (kind !== "require-call") return errorThat(`${importer} loads ${path} by ${kind}.`);
        const module = isBuiltin(path)
          ? { path }
          : await esbuild.resolve(path, { kind, importer, resolveDir, pluginData: namespace });
        if ("external" in module && (module.external || module.namespace !== "file")) return module;
        found.get(rule)?.add(path);
        late.set(importer, (late.get(importer) ?? new Set()).add(path));
        const name = isBuiltin(path) ? path : relative(process.cwd(), module.path);
        return { path: name, namespace, pluginData: module.path };
      });
      esbuild.onResolve({ filter: /.*/, namespace }, ({ path }) =>
        isBuiltin(path) ? { path, external: true } : undefined,
      );
      esbuild.onLoad({ filter: /.*/, namespace }, ({ pluginData }) => {
        const path = pluginData as string;
        const form = formOf(require(path));
        if (!form) return errorThat(`${path} has a form that no stand-in can have.`);
        const load = `() => require(${JSON.stringify(path)})`;
        const contents = `module.exports = require("./stand-in.cjs")(${load}, ${JSON.stringify(form)});`;
        return { contents, resolveDir: here };
      });
    },
  };
  const missing = () => [...found].flatMap(([rule, names]) => missingIn(rule, names));
  return { plugin, late, missing };
}

function ruleFor(rules: readonly LateRule[], { path, importer }: OnResolveArgs) {
  return rules.find(
    ({ from, modules, atOnce = [] }) =>
      from.test(importer) && (modules?.includes(path) ?? true) && !atOnce.includes(path),
  );
}

function errorThat(text: string) {
  return { errors: [{ text }] };
}

/**
 * The facts that a stand-in needs about a module; undefined for a list, a map or a promise, for which no
 * stand-in works.
 */
function formOf(module: unknown) {
  const isFunction = typeof module === "function";
  const isObject = ["[object Object]", "[object Module]"].includes(
    Object.prototype.toString.call(module),
  );
  if ((!isFunction && !isObject) || types.isProxy(module)) return undefined;
  return { isFunction, isEsModule: (module as Record<string, unknown>)["__esModule"] === true };
}

function missingIn({ from, modules }: LateRule, found: Set<string>): string[] {
  if (!modules) return found.size > 0 ? [] : [`no file that matches ${from} requires anything`];
  const missing = modules.filter((name) => !found.has(name));
  return missing.map((name) => `no file that matches ${from} requires ${name}`);
}
