import { readFileSync } from "node:fs";
import { join } from "node:path";
import { getAsset, isSea } from "node:sea";

/** A package of others that this program contains; `license` is in SPDX's words. */
export type BundledPackage = { name: string; version: string; license: string };

type Component = {
  group?: string;
  name: string;
  version: string;
  licenses: { license?: { id: string }; expression?: string }[];
};

/** Lists the packages from the bill of materials that the build made. The executable also contains Node. */
export function listBundledPackages(root: string): BundledPackage[] {
  const { components } = JSON.parse(readBuilt(root, "sbom.cdx.json")) as {
    components: Component[];
  };
  return components.map(({ group, name, version, licenses }) => ({
    name: group === undefined ? name : `${group}/${name}`,
    version,
    license: licenses.map(({ license, expression }) => license?.id ?? expression).join(" AND "),
  }));
}

/** The full texts of their licenses. */
export function readLicenseTexts(root: string): string {
  return readBuilt(root, "THIRD-PARTY-LICENSES.txt");
}

/** A file that the build makes beside the command; an asset of a single executable. */
function readBuilt(root: string, file: string): string {
  return isSea() ? getAsset(file, "utf8") : readFileSync(join(root, "dist", file), "utf8");
}
