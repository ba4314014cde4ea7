import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { getAsset, getAssetKeys, isSea } from "node:sea";

/**
 * A numbered file in `migrations`; its name is without `.sql`. `checksum` is the SHA-256 of its text.
 * `oldestProgram`: the last migration of the oldest program that still works with the schema after this one.
 */
export type Migration = {
  version: number;
  name: string;
  text: string;
  checksum: string;
  oldestProgram: number;
};

/** The migrations are in a folder beside this file, or are assets of a single executable. */
const folder = new URL("./migrations/", import.meta.url);

/** Every migration that this program knows, in order. */
export function readMigrations(): Migration[] {
  const files = isSea() ? getAssetKeys() : readdirSync(folder);
  return files
    .filter((file) => /^\d{3}-.*\.sql$/.test(file))
    .toSorted()
    .map((file) => {
      const text = isSea() ? getAsset(file, "utf8") : readFileSync(new URL(file, folder), "utf8");
      return createMigration(file.slice(0, -".sql".length), text.replaceAll("\r\n", "\n"));
    });
}

export function createMigration(name: string, text: string): Migration {
  const [, oldest] = /^-- oldest program: (\d+)$/m.exec(text) ?? [];
  if (oldest === undefined) throw new Error(`${name} lacks its line "-- oldest program: N".`);
  return {
    version: Number(name.slice(0, 3)),
    name,
    text,
    checksum: createHash("sha256").update(text).digest("hex"),
    oldestProgram: Number(oldest),
  };
}
