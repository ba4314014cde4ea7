import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Unavailable } from "../../runtime/failures.ts";
import { apiKeyPattern, keyPrefix, parseKeyMode, modes, type Mode } from "../../contract/key.ts";
import { findFile, getFsErrorCode, makeFolder, describeFsError } from "../../runtime/user-files.ts";
import { tryParseJson } from "../../runtime/json.ts";
import { makeNewFile } from "../store/new-file.ts";
import { ids } from "./ids.ts";
import { secretLength } from "../ports/ports.ts";

/** The keys of the embedded service, made at its first use: one process of several makes them. */
export async function openEmbeddedKeys(folder: string): Promise<Record<Mode, string>> {
  const file = resolveEmbeddedKeyFile(folder);
  try {
    return readKeys(file) ?? (await makeKeys(file));
  } catch (error) {
    if (error instanceof Unavailable) throw error;
    const { reason, remedy } = describeFsError(error);
    throw new Unavailable(`The file ${file} cannot be used: ${reason}.`, {
      cause: error,
      hint: `${remedy}, or set PAYMENTS_HOME to another folder.`,
    });
  }
}

export function resolveEmbeddedKeyFile(folder: string): string {
  return join(folder, "embedded-keys.json");
}

/** Undefined where there is no such file. */
function readKeys(file: string): Record<Mode, string> | undefined {
  if (findFile(file) === undefined) return undefined;
  const keys = tryParseJson(readFileSync(file, "utf8"));
  if (areKeys(keys)) return keys;
  throw new Unavailable(`The file ${file} is damaged.`, {
    hint: "Mend it, or delete it: the next command makes new keys.",
  });
}

async function makeKeys(file: string): Promise<Record<Mode, string>> {
  const keys = { test: newKey("test"), live: newKey("live") };
  makeFolder(join(file, ".."));
  try {
    await makeNewFile(file, `${JSON.stringify(keys, null, 2)}\n`);
    return keys;
  } catch (error) {
    const others = getFsErrorCode(error) === "EEXIST" ? readKeys(file) : undefined;
    if (others) return others;
    throw error;
  }
}

function newKey(mode: Mode): string {
  return keyPrefix(mode) + ids.secret(secretLength);
}

function areKeys(value: unknown): value is Record<Mode, string> {
  const keys = Object(value) as Partial<Record<Mode, unknown>>;
  return modes.every((mode) => {
    const key = keys[mode];
    return typeof key === "string" && apiKeyPattern.test(key) && parseKeyMode(key) === mode;
  });
}
