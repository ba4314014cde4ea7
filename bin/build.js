// Builds the command, the client and the service into dist, and what is generated from them:
// oclif.manifest.json (so that a command line loads only its own command), docs/errors.html and
// docs/commands.md.
//   node bin/build.js             builds dist
//   node bin/build.js --generate  also writes the generated files
//   node bin/build.js --check     also fails when a generated file is not up to date
import { execFileSync } from "node:child_process";
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Plugin } from "@oclif/core";
import { build } from "esbuild";
import { describeCommands } from "../src/cli/usage/describe.ts";
import { referencePage } from "../src/cli/usage/help/reference-page.ts";

const root = new URL("..", import.meta.url);
process.chdir(root.pathname);

/**
 * Leaves out of conf what is for settings with a schema, which these have not, and what would take
 * signals from the command, to tidy up after writes that are never under way when one comes.
 */
const lighterConf = {
  name: "lighter-conf",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^(ajv\/dist\/2020\.js|ajv-formats|when-exit)$/ }, ({ importer }) =>
      /node_modules.(conf|atomically)./.test(importer)
        ? { path: fileURLToPath(new URL("unused-by-conf.js", import.meta.url)) }
        : undefined,
    ),
};

const { metafile } = await bundle();
cpSync("src/service/store/migrations", "dist/migrations", { recursive: true });
writeFileSync("dist/THIRD-PARTY-LICENSES.txt", licences(metafile));
writeFileSync("dist/metafile.json", JSON.stringify(metafile)); // for tests of what a command loads
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "--project", "bin/types.json"], {
  stdio: "inherit",
});
const stale = await generate();
if (process.argv.includes("--check") && stale.length > 0) {
  console.error(`Not up to date: ${stale.join(", ")}. Run npm run fix and commit the result.`);
  process.exit(1);
}

/** One file for each command, and what they share in chunks: a command loads only what it needs. */
async function bundle() {
  rmSync("dist", { recursive: true, force: true });
  const commands = globSync("src/cli/commands/**/*.ts").map((file) => [
    file.slice("src/cli/".length, -".ts".length),
    file,
  ]);
  return await build({
    entryPoints: {
      main: "src/cli/main.ts",
      client: "src/client/index.ts",
      service: "src/service/run/start-service.ts",
      embed: "src/service/run/embed.ts",
      "keyring-process": "src/cli/settings/keyring-process.ts",
      "check-process": "src/service/store/check-process.ts",
      help: "src/cli/usage/help/help.ts",
      ...Object.fromEntries(commands),
    },
    outdir: "dist",
    bundle: true,
    // Native, and may be missing: then keys are kept in files. The other colours borders: there are none.
    external: ["@napi-rs/keyring", "@colors/colors"],
    plugins: [lighterConf],
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node24",
    metafile: true,
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "none",
    logLevel: "warning",
    // CommonJS packages inside an ES module still call require.
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
    },
  });
}

/** The licences of the packages that the bundle contains. */
function licences(meta) {
  const folders = new Set(
    Object.keys(meta.inputs).flatMap(
      (file) => file.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/) ?? [],
    ),
  );
  return [...folders].toSorted().map(licence).join("\n");
}

function licence(folder) {
  const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const [file] = globSync(`${folder}/{LICENSE,LICENCE,license,License}*`);
  const text = file ? readFileSync(file, "utf8").trim() : "";
  return `${name} ${version} (${license})\n\n${text}\n\n${"-".repeat(80)}\n`;
}

/** Makes the generated files; gives the names of those that differ from what is in the repository. */
async function generate() {
  const { errorsHtml } = await import(new URL("dist/embed.js", root).href);
  const manifest = await commandManifest();
  const files = {
    "docs/errors.html": errorsHtml(),
    "docs/commands.md": referencePage(describeCommands(Object.values(manifest.commands))),
    "oclif.manifest.json": `${JSON.stringify(manifest, null, 2)}\n`,
  };
  const changed = Object.keys(files).filter((file) => files[file] !== current(file));
  if (process.argv.includes("--generate")) {
    for (const file of changed) writeFileSync(file, files[file]);
  }
  return changed;
}

async function commandManifest() {
  const plugin = new Plugin({
    root: root.pathname,
    type: "core",
    ignoreManifest: true,
    errorOnManifestCreate: true,
    respectNoCacheDefault: true,
  });
  await plugin.load();
  return plugin.manifest;
}

function current(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
