import { globSync, readFileSync } from "node:fs";
import type { Metafile } from "esbuild";

const late = "late:";

/** esbuild's report of built files: the sources of each, and how much code of each source it has. */
export type Outputs = Record<string, { inputs: Record<string, { bytesInOutput: number }> }>;

/** A package of others that has code in the built files. */
export type BundledPackage = {
  /**
   * The folders in which it is installed: `node_modules/undici`, and the same version perhaps within other packages.
   */
  folders: string[];
  name: string;
  version: string;
  /** As its package.json names it, in SPDX's words. */
  license: string;
  licenseText: string;
  /** The folders that its code imports from. */
  imports: string[];
};

/** The packages whose code is in these built files. What the build has left out of a package is not there. */
export function listBundledPackages({ outputs, inputs }: Metafile): BundledPackage[] {
  const packages = new Map<string, BundledPackage>();
  for (const file of [...listBundledFiles(outputs)].toSorted()) {
    const folder = findFolder(file);
    if (folder === undefined) continue;
    const title = toTitle(readManifest(folder));
    const known = packages.get(title) ?? readPackage(folder);
    packages.set(title, known);
    const imported = inputs[file]?.imports.flatMap(({ path }) => findFolder(toModule(path)) ?? []);
    known.folders = [...new Set([...known.folders, folder])];
    known.imports = [...new Set([...known.imports, ...(imported ?? [])])];
  }
  return [...packages.values()].toSorted((a, b) => (toTitle(a) < toTitle(b) ? -1 : 1));
}

/** `undici 8.12.4`. */
export function toTitle({ name, version }: { name: string; version: string }): string {
  return `${name} ${version}`;
}

/** The sources that have code in built files, without the stand-ins for modules that are loaded late. */
export function listBundledFiles(outputs: Outputs): Set<string> {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  const bundled = inputs.filter(([file, { bytesInOutput }]) => {
    return bytesInOutput > 0 && !file.startsWith(late);
  });
  return new Set(bundled.map(([file]) => file));
}

/** The folder of the package that a file is of: the innermost one. */
function findFolder(file: string): string | undefined {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0];
}

/** A module that is loaded late is imported through a stand-in, `late:` and its path (bin/libraries/late.ts). */
function toModule(path: string): string {
  return path.startsWith(late) ? path.slice(late.length) : path;
}

function readPackage(folder: string): BundledPackage {
  const { name, version, license } = readManifest(folder);
  if (!license) throw new Error(`${folder}/package.json names no license.`);
  const licenseText = readLicense(folder, license);
  return { folders: [], name, version, license, licenseText, imports: [] };
}

function readManifest(folder: string) {
  return JSON.parse(readFileSync(`${folder}/package.json`, "utf8")) as {
    name: string;
    version: string;
    license?: string;
  };
}

/** The package's files about its license, else what its README says about it. */
function readLicense(folder: string, license: string): string {
  const files = globSync(`${folder}/{LICENSE,LICENCE,license,License,NOTICE}*`).toSorted();
  if (files.length > 0) return files.map((file) => readFileSync(file, "utf8").trim()).join("\n\n");
  const [readme] = globSync(`${folder}/{README,Readme,readme}.md`);
  const section = /^##+ licen[cs]e\n+([\s\S]*?)(?=^#|$(?![\s\S]))/im;
  const text = section.exec(readme ? readFileSync(readme, "utf8") : "")?.[1]?.trim();
  return text ?? `Its package.json says ${license}; it has no other text.`;
}
