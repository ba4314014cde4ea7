import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { strictSettings, typedProgram } from "./typed-program.ts";

// npm run openapi:lint checks docs/openapi.json with the tools that its readers use. They are a package of their own,
// installed by its own lock file, so that `npm ci` does not bring them along.

const root = fileURLToPath(new URL("../..", import.meta.url));
const tools = import.meta.dirname;
const document = join(root, "docs/openapi.json");
const types = join(root, "build/openapi");
/** No tool reports home. */
const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };

try {
  installTools();
  run("redocly", ["lint", document, "--config", "redocly.yaml", "--max-problems", "1000"]);
  run("spectral", ["lint", document, "--ruleset", "spectral.yaml", "--fail-severity", "hint"]);
  compileTypes();
} catch (error) {
  // The tool itself has said what is wrong.
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

function installTools(): void {
  const installed = join(tools, "node_modules/.package-lock.json");
  const isUpToDate =
    existsSync(installed) && findTime(installed) >= findTime(join(tools, "package-lock.json"));
  if (isUpToDate) return;
  const install = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
  execFileSync("npm", install, { cwd: tools, stdio: "inherit" });
}

function findTime(file: string): number {
  return statSync(file).mtimeMs;
}

/** Types are generated of the document, and a program that uses them is compiled under strict settings. */
function compileTypes(): void {
  mkdirSync(types, { recursive: true });
  run("openapi-typescript", [document, "--output", join(types, "types.ts")]);
  writeFileSync(join(types, "program.ts"), typedProgram);
  writeFileSync(join(types, "tsconfig.json"), JSON.stringify(strictSettings, null, 2));
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [compiler, "--project", types], { stdio: "inherit", env });
  console.log("The generated types compile, and are those of the contract.");
}

function run(tool: string, args: string[]): void {
  const bin = join(tools, "node_modules/.bin", tool);
  execFileSync(bin, args, { cwd: tools, stdio: "inherit", env });
}
