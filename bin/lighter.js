// Plugins for esbuild that make the built command start sooner: of what the libraries would load at once
// it loads what is used.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const unused = fileURLToPath(new URL("unused.js", import.meta.url));

/** The text of a CommonJS file that loads what it names when that is used, not at once. */
function loadingLate(path, required) {
  let text = readFileSync(path, "utf8");
  for (const [line, name, value] of text.matchAll(required)) {
    const use = new RegExp(`(?<![.'\\w])${name}(?=\\.)`, "g");
    text = text.replace(line, "").replaceAll(use, `(${value})`);
  }
  return text;
}

/** oclif is compiled to CommonJS, where each file loads all that it names. */
const lateOclif = {
  name: "late-oclif",
  setup({ onLoad }) {
    const required = /^(?:const|var) (\w+_\d+) = ((?:__import\w+\()?require\(.*\)\)?);$/gm;
    onLoad({ filter: /@oclif[/\\]core[/\\]lib[/\\].*\.js$/ }, ({ path }) => ({
      contents: loadingLate(path, required),
    }));
  },
};

/**
 * Fastify compares versions for plugins that ask for one, and looks up the name that it listens on; it compiles
 * schemas, of which the service gives it none (`noSchemas` in app.ts).
 */
const fastify = {
  name: "fastify",
  setup({ onResolve, onLoad }) {
    const required = /^const (semver|https|dns) = (require\(.*\))$/gm;
    onLoad({ filter: /[/\\]fastify[/\\]lib[/\\](?:plugin-utils|server)\.js$/ }, ({ path }) => ({
      contents: loadingLate(path, required),
    }));
    onResolve({ filter: /^@fastify\/(?:ajv|fast-json-stringify)-compiler$/ }, () => ({
      path: unused,
    }));
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
      /node_modules.(conf|atomically)./.test(importer) ? { path: unused } : undefined,
    );
  },
};

export const lighter = [lateOclif, fastify, undiciInParts, withoutHttp2, conf];
