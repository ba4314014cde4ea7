import { readFileSync } from "node:fs";
import { join } from "node:path";
import { apiKeyPattern, keyPrefix, parseKeyMode } from "../../contract/administration.ts";
import { type Mode, modes } from "../../contract/field-values.ts";
import { Unavailable } from "../../runtime/failures.ts";
import { tryParseJson } from "../../runtime/text.ts";
import { describeFsError, findFile, getFsErrorCode, makeFolder } from "../../runtime/user-files.ts";
import { secretLength } from "../accounts/accounts-service.ts";
import { makeNewFile } from "../database/new-file.ts";
import { ids } from "../database/ids.ts";

type Keys = Record<Mode, string>;

/** The keys of the embedded service, created at its first use; if several processes start, one creates them. */
export async function openEmbeddedKeys(folder: string): Promise<Keys> {
  const file = resolveEmbeddedKeyFile(folder);
  try {
    return findKeys(file) ?? (await makeKeys(folder, file));
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

/** The keys of the embedded service, or undefined before its first use. Errors: the file cannot be used. */
export function findEmbeddedKeys(folder: string): Keys | undefined {
  return findKeys(resolveEmbeddedKeyFile(folder));
}

function findKeys(file: string): Keys | undefined {
  if (findFile(file) === undefined) return undefined;
  const keys = tryParseJson(readFileSync(file, "utf8"));
  if (areKeys(keys)) return keys;
  throw new Unavailable(`The file ${file} is damaged.`, {
    hint: "Repair it, or delete it: the next command makes new keys.",
  });
}

async function makeKeys(folder: string, file: string): Promise<Keys> {
  const [test, live] = [ids.secret(secretLength), ids.secret(secretLength)];
  const keys = { test: keyPrefix("test") + test, live: keyPrefix("live") + live };
  makeFolder(folder);
  try {
    await makeNewFile(file, `${JSON.stringify(keys, null, 2)}\n`);
    return keys;
  } catch (error) {
    const existing = getFsErrorCode(error) === "EEXIST" ? findKeys(file) : undefined;
    if (existing) return existing;
    throw error;
  }
}

function areKeys(value: unknown): value is Keys {
  const keys = Object(value) as Partial<Record<Mode, unknown>>;
  return modes.every((mode) => {
    const key = keys[mode];
    return typeof key === "string" && apiKeyPattern.test(key) && parseKeyMode(key) === mode;
  });
}
