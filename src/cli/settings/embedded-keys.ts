import { join } from "node:path";
import { z } from "zod";
import { apiKeyPattern, keyPrefix, type Mode } from "../../contract/key.ts";
import type { Directories } from "./directories.ts";
import { createJsonFile, readJsonFile } from "./json-file.ts";
import { SettingsError } from "./settings-error.ts";

const key = z.string().regex(apiKeyPattern);
const schema = z.object({ test: key, live: key });

/** The keys of the embedded service, made at its first use: one process of several makes them. */
export function embeddedKeys(
  directories: Directories,
  newSecret: (length: number) => string,
): Record<Mode, string> {
  const file = embeddedKeyFile(directories);
  const stored = readJsonFile(file, schema);
  if (stored) return stored;
  const fresh = (mode: Mode) => keyPrefix(mode) + newSecret(43);
  createJsonFile(file, { test: fresh("test"), live: fresh("live") });
  const made = readJsonFile(file, schema);
  if (made) return made;
  throw new SettingsError("storage", `The file ${file} disappeared while it was read.`);
}

export function embeddedKeyFile({ data }: Directories): string {
  return join(data, "embedded-keys.json");
}
