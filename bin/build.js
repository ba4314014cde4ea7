// Builds the command, the client and the service into dist, and what is generated from them:
// oclif.manifest.json and src/cli/program/commands.ts (so that a command line loads only its own command),
// docs/errors.html, docs/openapi.json, docs/commands.md, and in dist the manual's pages. bin/responses.ts generates
// src/contract/responses.json, which this build reads.
//   node bin/build.js             builds dist
//   node bin/build.js --generate  also writes the generated files
//   node bin/build.js --late      also lists what is loaded late of libraries, by the file that requires it
//   node bin/build.js --check     builds nothing, but fails when a generated file is not up to date
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, relative } from "node:path";
import { Plugin } from "@oclif/core";
import { build, transform } from "esbuild";
import { listBundledPackages } from "./contents/bundled-packages.ts";
import { formatLicense } from "./contents/licenses.ts";
import { createSbom } from "./contents/sbom.ts";
import { listCommands } from "../src/cli/help/describe.ts";
import { toManPages } from "./man-pages.ts";
import { toReferencePage } from "./reference-page.ts";
import { statusByCode } from "../src/contract/error.ts";
import { renderOpenApi } from "./openapi/create-openapi.ts";
import { renderResponses, responsesFile } from "./responses.ts";
import { renderErrorsPage } from "../src/service/web/design/errors-page.ts";
import { takeLibraries } from "./libraries/index.ts";
import { buildLibrary, rollDeclarations } from "./library.ts";

const root = new URL("..", import.meta.url).pathname;
process.chdir(root);

const { plugins, late, missing } = takeLibraries();
const smaller = { minifyWhitespace: true, minifySyntax: true, legalComments: "none" };
const settings = {
  outdir: "dist",
  bundle: true,
  // The first is native, and may be missing: keys are then stored in files. The other colours borders, which no output
  // has.
  external: ["@napi-rs/keyring", "@colors/colors"],
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node24",
  // undici's switch of Node's own build of it, which leaves out a second parser of responses that it is trying.
  define: { esbuildDetection: "true" },
  plugins,
  metafile: true,
  logLevel: "warning",
};
const importMetaUrl = 'const importMetaUrl = require("node:url").pathToFileURL(__filename).href;';

const isCheck = process.argv.includes("--check");
const manifest = await commandManifest();
const described = listCommands(manifest.commands);
const stale = generate(); // before it is built into the program
if (isCheck && stale.length > 0) {
  console.error(`Not up to date: ${stale.join(", ")}. Run npm run fix and commit the result.`);
  process.exit(1);
}
if (!isCheck) {
  await buildAll();
  writeManPages();
}

async function buildAll() {
  rmSync("dist", { recursive: true, force: true });
  const built = await buildProgram();
  const outputs = { ...built.outputs, ...(await buildLibrary()) };
  if (missing().length > 0)
    throw new Error(`bin/libraries expects otherwise: ${missing().join("; ")}.`);
  if (process.argv.includes("--late")) printLate();
  cpSync("src/service/database/migrations", "dist/migrations", { recursive: true });
  await copyPageAssets();
  const packages = listBundledPackages(built);
  writeFileSync("dist/sbom.cdx.json", formatJson(createSbom(packages)));
  writeFileSync("dist/THIRD-PARTY-LICENSES.txt", packages.map(formatLicense).join("\n"));
  writeFileSync("dist/metafile.json", JSON.stringify({ outputs })); // for tests of what a command loads
  await rollDeclarations();
}

function printLate() {
  for (const file of [...late.keys()].toSorted()) {
    const path = relative("node_modules", file);
    console.log(`${path}: ${[...(late.get(file) ?? [])].toSorted().join(", ")}`);
  }
}

/**
 * The command: one file for each part that is loaded by itself, and what they share in chunks. They are
 * CommonJS, which Node links sooner than ES modules.
 */
async function buildProgram() {
  const { outputFiles, metafile } = await build({
    ...settings,
    entryPoints: {
      main: "src/cli/program/main.ts",
      "keyring-process": "src/cli/config/keyring-process.ts",
      "check-process": "src/service/server/check-process.ts",
      "index-process": "src/service/server/index-process.ts",
    },
    outExtension: { ".js": ".cjs" },
    write: false,
  });
  for (const { path, text } of outputFiles) {
    const { code } = await transform(text, {
      ...smaller,
      format: "cjs",
      platform: "node", // so that Node sees what an ES module may import
      supported: { "dynamic-import": false },
      define: { "import.meta.url": "importMetaUrl" },
      banner: text.includes("import.meta.url") ? importMetaUrl : "",
    });
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, code);
  }
  const launched = await build({
    entryPoints: ["bin/executable/stored-code.js"],
    outfile: "dist/stored-code.cjs",
    bundle: true,
    format: "cjs",
    platform: "node",
    metafile: true,
    ...smaller,
  });
  return {
    inputs: { ...metafile.inputs, ...launched.metafile.inputs },
    outputs: { ...metafile.outputs, ...launched.metafile.outputs },
  };
}

/** The styles and scripts of the pages, in dist/web. */
async function copyPageAssets() {
  mkdirSync("dist/web");
  for (const file of globSync("src/service/web/*/*.{css,js}")) {
    const loader = extname(file).slice(1);
    const { code } = await transform(readFileSync(file, "utf8"), { loader, ...smaller });
    writeFileSync(`dist/web/${basename(file)}`, code);
  }
}

/** The manual, in dist/man: `man -l dist/man/man1/payments.1` shows a page. */
function writeManPages() {
  for (const { file, text } of toManPages(described)) {
    const path = `dist/man/${file}`;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

/** npm links only the pages that package.json names, each by its file. */
function withManPages() {
  const packageJson = JSON.parse(readFileSync("package.json", "utf8"));
  packageJson.man = toManPages(described).map(({ file }) => `./dist/man/${file}`);
  return formatJson(packageJson);
}

/** The table of commands, each loaded only when it runs: esbuild finds what it bundles by the words of an import. */
function toCommandTable() {
  const rows = Object.entries(manifest.commands).map(([id, { relativePath }]) => {
    const name = /^\w+$/.test(id) ? id : JSON.stringify(id);
    const path = relativePath.slice("src/cli".split("/").length).join("/");
    return `  ${name}: async () => import("../${path}"),\n`;
  });
  return `// Made by npm run fix: a command is a file in src/cli/commands.
import type { Command } from "@oclif/core/command";
import type { Config } from "@oclif/core/config";
import type { ParsedTokens } from "../flags/checked-values.ts";
import type { CommandFacts } from "../output/command-facts.ts";

export type CommandClass = {
  new (argv: string[], config: Config): Command & { typed?: ParsedTokens };
  facts: CommandFacts;
};

/** Every command, by its words with colons between them. Each is loaded only when it runs. */
export const commands: Record<string, () => Promise<{ default: CommandClass }>> = {
${rows.join("")}};
`;
}

/** Makes the generated files; gives the names of those that differ from the repository's. */
function generate() {
  const files = {
    [responsesFile]: renderResponses(),
    "docs/errors.html": renderErrorsPage(statusByCode),
    "docs/openapi.json": renderOpenApi(),
    "docs/commands.md": toReferencePage(described),
    "oclif.manifest.json": formatJson(manifest),
    "package.json": withManPages(),
    "src/cli/program/commands.ts": toCommandTable(),
  };
  const changed = Object.keys(files).filter((file) => files[file] !== current(file));
  if (process.argv.includes("--generate")) {
    for (const file of changed) writeFileSync(file, files[file]);
  }
  return changed;
}

async function commandManifest() {
  const plugin = new Plugin({
    root,
    type: "core",
    ignoreManifest: true,
    errorOnManifestCreate: true,
    respectNoCacheDefault: true,
  });
  await plugin.load();
  const { commands, ...rest } = plugin.manifest;
  const inOrder = Object.entries(commands).toSorted(([a], [b]) => (a < b ? -1 : 1)); // they come as found
  return { commands: Object.fromEntries(inOrder), ...rest };
}

function formatJson(value) {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function current(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
