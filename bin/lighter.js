// Plugins for esbuild that make the built command start sooner: of what the libraries would load at once
// it loads what is used.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** oclif is compiled to CommonJS, where each file loads all that it names: here, when that is used. */
const lateRequires = {
  name: "late-requires",
  setup({ onLoad }) {
    onLoad({ filter: /@oclif[/\\]core[/\\]lib[/\\].*\.js$/ }, ({ path }) => {
      let contents = readFileSync(path, "utf8");
      const required = /^(?:const|var) (\w+_\d+) = ((?:__import\w+\()?require\(.*\)\)?);$/gm;
      for (const [line, name, value] of contents.matchAll(required)) {
        contents = contents
          .replace(line, "")
          .replaceAll(new RegExp(`\\b${name}\\b`, "g"), `(${value})`);
      }
      return { contents };
    });
  },
};

/** undici's index loads all of its parts: here each is an export of its own, so that the rest is left out. */
const undiciInParts = {
  name: "undici-in-parts",
  setup({ onResolve, onLoad }) {
    const namespace = "undici-in-parts";
    const index = createRequire(import.meta.url).resolve("undici");
    onResolve({ filter: /^undici$/ }, () => ({ path: index, namespace, sideEffects: false }));
    onResolve({ filter: /.*/, namespace }, ({ path }) => ({ path, sideEffects: false }));
    onLoad({ filter: /.*/, namespace }, () => {
      const text = readFileSync(index, "utf8");
      const required = [...text.matchAll(/^const (\w+) = require\('(.+)'\)$/gm)];
      const parts = required.filter(([, name]) => text.includes(`exports.${name} = ${name}\n`));
      const exported = parts.map(
        ([, name, file]) =>
          `export { default as ${name} } from "${join(dirname(index), file)}.js";`,
      );
      return { contents: exported.join("\n") };
    });
    // The tunnel through a proxy is opened by a method that the index gives to all dispatchers.
    onLoad({ filter: /undici[/\\]lib[/\\]dispatcher[/\\]proxy-agent\.js$/ }, ({ path }) => ({
      contents: `${readFileSync(path, "utf8")}
        require("./dispatcher").prototype.connect = require("../api/api-connect");`,
    }));
  },
};

/** Loading HTTP/2 takes longer than a request over HTTP/1.1, which is all that the client speaks. */
const withoutHttp2 = {
  name: "without-http2",
  setup({ onResolve, onLoad }) {
    const namespace = "without-http2";
    onResolve({ filter: /^node:http2$/ }, ({ path }) => ({ path, namespace }));
    onLoad({ filter: /.*/, namespace }, () => ({ contents: "exports.constants = {};" }));
  },
};

/**
 * Leaves out of conf what is for settings with a schema, which these have not, and what would take
 * signals from the command, to tidy up after writes that are never under way when one comes.
 */
const conf = {
  name: "conf",
  setup({ onResolve }) {
    onResolve({ filter: /^(ajv\/dist\/2020\.js|ajv-formats|when-exit)$/ }, ({ importer }) =>
      /node_modules.(conf|atomically)./.test(importer)
        ? { path: fileURLToPath(new URL("unused-by-conf.js", import.meta.url)) }
        : undefined,
    );
  },
};

export const lighter = [lateRequires, undiciInParts, withoutHttp2, conf];
