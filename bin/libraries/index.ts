// How the build takes libraries: as they are. It leaves out whole modules that nothing here makes use of, puts
// a module of this folder in the place of another, and has some loaded when they are first used. What each
// saves is processor time of one command, the median of 25 in turn with a build that lacks it.
import { fileURLToPath } from "node:url";
import type { PluginBuild } from "esbuild";
import { loadLate, type LateRule } from "./late.ts";

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const [undici, noHttp2, unused] = [here("undici.cjs"), here("no-http2.cjs"), here("unused.js")];

/** What each library loads late. */
const lateRules: LateRule[] = [
  // A command parses its flags: plugins, help, spinners, templates and logs are for others. `list`: 98 → 85 ms.
  {
    from: /[/\\]@oclif[/\\]core[/\\]lib[/\\]/,
    atOnce: ["node:fs", "node:os", "node:path", "node:url", "node:util"],
  },
  // For plugins that name a version of Fastify, for HTTPS, and for a host that is listened on by its name. The
  // embedded `create`: 213 → 194 ms.
  {
    from: /[/\\]fastify[/\\]lib[/\\](?:plugin-utils|server)\.js$/,
    modules: ["semver", "node:https", "node:dns"],
  },
];

/** Whole modules that give way to another: `name` is what the files `from` load, `by` what they get. */
const replacements = [
  // Of undici's parts a command uses one. `list`: 105 → 85 ms.
  { name: "undici", from: /[/\\]src[/\\]/, by: undici },
  // The client speaks HTTP/1.1 alone (`allowH2`), and so does the service. `list`: 104 → 85 ms.
  { name: "node:http2", from: /[/\\](?:undici|fastify)[/\\]/, by: noHttp2 },
  // Settings that are encrypted or have a schema, which these are not; and what ends writes that a signal
  // interrupts, and for that would take signals from the command.
  { name: "node:crypto", from: /[/\\]conf[/\\]/, by: unused },
  { name: "ajv/dist/2020.js", from: /[/\\]conf[/\\]/, by: unused },
  { name: "ajv-formats", from: /[/\\]conf[/\\]/, by: unused },
  { name: "when-exit", from: /[/\\]atomically[/\\]/, by: unused },
  // The service gives Fastify no schemas (`noSchemas` in app.ts).
  { name: "@fastify/ajv-compiler", from: /[/\\]fastify[/\\]/, by: unused },
  { name: "@fastify/fast-json-stringify-compiler", from: /[/\\]fastify[/\\]/, by: unused },
];

/**
 * The plugins of esbuild that do it, for all builds of a program; `late` and `missing` say what they found:
 * see late.ts.
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
