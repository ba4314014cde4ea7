import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { listCommands } from "../../../src/cli/help/describe.ts";

/** The folder of the package. */
export const root = fileURLToPath(new URL("../../..", import.meta.url));

/** The built commands as plain data. */
export const commands = listCommands();

type Output = {
  entryPoint?: string;
  imports: { path: string; kind: string; external?: boolean }[];
  inputs: Record<string, { bytesInOutput: number }>;
};

export const { outputs } = JSON.parse(readFileSync(join(root, "dist/metafile.json"), "utf8")) as {
  outputs: Record<string, Output>;
};

/** The sources that have a built file of their own, such as `src/cli/program/main.ts`. */
export const entries = Object.values(outputs).flatMap(({ entryPoint = [] }) => entryPoint);

/** The built file of an entry and its static imports, without dynamic ones. */
export function listLoadedFiles(entry: string): Set<string> {
  const file = Object.keys(outputs).find((name) => outputs[name]?.entryPoint === entry);
  return addImports(file ?? entry);
}

function addImports(file: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(file)) return loaded;
  loaded.add(file);
  for (const { path, kind, external } of getOutput(file).imports) {
    if (kind === "import-statement" && !external) addImports(path, loaded);
  }
  return loaded;
}

/**
 * Selects the sources (files, folders, packages in node_modules) from which these built files contain
 * code. Errors: no built file at all contains code of a source.
 */
export function selectContained(files: Iterable<string>, sourcePaths: readonly string[]): string[] {
  const loaded = [...files];
  return sourcePaths.filter((sourcePath) => {
    if (!Object.keys(outputs).some((file) => containsCode(sourcePath, file))) {
      throw new Error(`No built file has code of ${sourcePath}.`);
    }
    return loaded.some((file) => containsCode(sourcePath, file));
  });
}

function containsCode(sourcePath: string, file: string): boolean {
  const { inputs } = getOutput(file);
  const sources = Object.keys(inputs).filter((source) => source.startsWith(sourcePath));
  return sources.some((source) => inputs[source]?.bytesInOutput);
}

function getOutput(file: string): Output {
  const found = outputs[file];
  if (!found) throw new Error(`${file} is not built.`);
  return found;
}

/** Each style and script as its source has it, and as the build ships it. */
const assets = globSync("src/service/web/*/*.{css,js}", { cwd: root }).map((file) => ({
  source: readFileSync(join(root, file), "utf8"),
  shipped: readFileSync(join(root, "dist/web", basename(file)), "utf8"),
}));

/** The bytes of a document or a style with the styles and scripts that the build ships. */
export function measureShipped(document: string): number {
  const shipped = assets.reduce(
    (text, asset) => text.replace(asset.source, () => asset.shipped),
    document,
  );
  return Buffer.byteLength(shipped);
}
