// The build never changes a library's text. It leaves out modules that are not used here, replaces some by a
// module of this folder, and loads some only when they are first used. Each rule says the processor time that
// it saves one command: the median of 25 runs, in turn with a build without the rule.
import { fileURLToPath } from "node:url";
import type { PluginBuild } from "esbuild";
import { loadLate, type LateRule } from "./late.ts";

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const [undici, llhttp] = [here("undici.cjs"), here("llhttp.cjs")];
const [noHttp2, unused] = [here("no-http2.cjs"), here("unused.js")];

/** The modules that each library loads late. */
const lateRules: LateRule[] = [
  // A command only parses its flags: it has no use for plugins, help, spinners, templates and logs. `list`: 98 → 85 ms.
  {
    from: /[/\\]@oclif[/\\]core[/\\]lib[/\\]/,
    atOnce: ["node:fs", "node:os", "node:path", "node:url", "node:util"],
  },
  // Only plugins that name a version of Fastify, HTTPS, and listening on a host's name need these. The embedded
  // `create`: 213 → 194 ms.
  {
    from: /[/\\]fastify[/\\]lib[/\\](?:plugin-utils|server)\.js$/,
    modules: ["semver", "node:https", "node:dns"],
  },
];

/** Modules that are replaced: the files `from` load `name`, and get `by`. */
const replacements = [
  // A command uses one part of undici. `list`: 105 → 85 ms.
  { name: "undici", from: /[/\\]src[/\\]/, by: undici },
  // V8 would optimise the parser of responses after a second response. `list` of nothing, which asks for the account,
  // too: 127 → 78 ms; of payments: no gain.
  { name: "../llhttp/llhttp_simd-wasm.js", from: /[/\\]undici[/\\]/, by: llhttp },
  // The client speaks HTTP/1.1 alone (`allowH2`), and so does the service. `list`: 104 → 85 ms.
  { name: "node:http2", from: /[/\\](?:undici|fastify)[/\\]/, by: noHttp2 },
  // The settings are not encrypted and have no schema. The module that finishes writes after a signal would
  // take the signal from the command.
  { name: "node:crypto", from: /[/\\]conf[/\\]/, by: unused },
  { name: "ajv/dist/2020.js", from: /[/\\]conf[/\\]/, by: unused },
  { name: "ajv-formats", from: /[/\\]conf[/\\]/, by: unused },
  { name: "when-exit", from: /[/\\]atomically[/\\]/, by: unused },
  // oclif would read a project's tsconfig.json with it.
  { name: "typescript", from: /[/\\]@oclif[/\\]core[/\\]/, by: unused },
  // The service gives Fastify no schemas (`noSchemas` in app.ts).
  { name: "@fastify/ajv-compiler", from: /[/\\]fastify[/\\]/, by: unused },
  { name: "@fastify/fast-json-stringify-compiler", from: /[/\\]fastify[/\\]/, by: unused },
];

/**
 * The plugins of esbuild for all builds of a program; `late` and `missing` report what they found: see late.ts.
 */
export function takeLibraries() {
  const { plugin, late, missing } = loadLate(lateRules);
  const replaced = new Set<unknown>();
  const replace = {
    name: "replace",
    setup(esbuild: PluginBuild) {
      esbuild.onResolve({ filter: /.*/ }, ({ path, importer }) => {
        const replacement = replacements.find(
          ({ name, from }) => name === path && from.test(importer),
        );
        if (!replacement) return undefined;
        replaced.add(replacement);
        return { path: replacement.by };
      });
    },
  };
  const unasked = () =>
    replacements
      .filter((replacement) => !replaced.has(replacement))
      .map(({ name, from }) => `no file that matches ${from} loads ${name}`);
  return { plugins: [replace, plugin], late, missing: () => [...missing(), ...unasked()] };
}
