import { readdirSync, readFileSync } from "node:fs";
import { getAsset, getAssetKeys, isSea } from "node:sea";

// The migrations as files: in a folder beside this one, or parts of the executable that this program is.
const folder = new URL("./migrations/", import.meta.url);

/** Their names, in order. */
export function listMigrationFiles(): string[] {
  const files = isSea() ? getAssetKeys() : readdirSync(folder);
  return files.filter((file) => /^\d{3}-.*\.sql$/.test(file)).toSorted();
}

export function readMigration(file: string): string {
  return isSea() ? getAsset(file, "utf8") : readFileSync(new URL(file, folder), "utf8");
}
