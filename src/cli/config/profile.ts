import { existsSync } from "node:fs";
import { join } from "node:path";
import { apiKeyPattern, parseKeyMode, modes, type Mode } from "../../contract/key.ts";
import type { Directories } from "./directories.ts";
import { deleteFile, readJsonFile, writeJsonFile } from "./json-file.ts";
import {
  toKeyringAccount,
  readKey,
  describeKeyringFailure,
  type KeyInKeyring,
} from "./key-in-keyring.ts";
import type { Keyring } from "./keyring.ts";
import { CommandError } from "../errors/command-error.ts";

/** A key, and the only service that it is ever sent to. */
export type Login = { baseUrl: string; key: string };

/** A key to use: its end, where it comes from, and itself, which is fetched only where it is used. */
export type UsableKey = { last4: string; source: string; value: () => string };

/** Where a key was stored. */
export type StoredWhere = {
  /** The file that holds it, and why the keyring does not. */
  inFile: { file: string; since: string } | undefined;
  /** An earlier key that is of no use any more, but that the keyring could not be rid of. */
  left: LeftoverKey | undefined;
};
export type LeftoverKey = { account: string; since: string };

/** What the files hold. It is checked by hand: zod takes longer to load than a command to run. */
type Profile = { mode: Mode };
type StoredLogin = { base_url: string } & ({ key: string } | { keyring: true; last4: string });

/** The mode that `payments mode` has set. */
export function readMode({ config }: Directories): Mode | undefined {
  return readJsonFile(join(config, "config.json"), isProfile)?.mode;
}

export function storeMode({ config }: Directories, mode: Mode): void {
  writeJsonFile(join(config, "config.json"), { mode });
}

/** The login of a mode. Each has a file of its own, so that two logins never undo each other. */
export function storedLogin(
  directories: Directories,
  mode: Mode,
  keyring: Keyring,
): { baseUrl: string; key: UsableKey } | undefined {
  const stored = readLogin(directories, mode);
  if (!stored) return undefined;
  const baseUrl = stored.base_url;
  if ("key" in stored) {
    const { key } = stored;
    const source = loginFile(directories, mode);
    return { baseUrl, key: { last4: key.slice(-4), source, value: () => key } };
  }
  const { last4 } = stored;
  let read: string | undefined;
  const value = () => (read ??= readKey(keyring, { mode, baseUrl, last4 }));
  return { baseUrl, key: { last4, source: "keyring", value } };
}

/**
 * Stores a login: its key in the keyring, else in the file. The file is what counts, and is replaced
 * in one step between the new key's arrival in the keyring and the old one's removal from it: an
 * interruption leaves the old login or the new one, and either works.
 */
export function storeLogin(
  directories: Directories,
  mode: Mode,
  { baseUrl, key }: Login,
  keyring: Keyring,
): StoredWhere {
  const file = loginFile(directories, mode);
  const before = keptInKeyring(directories, mode);
  const kept = { mode, baseUrl, last4: key.slice(-4) };
  const isNew = !before || toKeyringAccount(before) !== toKeyringAccount(kept);
  const stored = keyring.set(toKeyringAccount(kept), key);
  if (stored.answer !== "done") {
    writeJsonFile(file, { base_url: baseUrl, key });
    // It has just failed: asking it for more would only take longer.
    const since = describeKeyringFailure(stored);
    return {
      inFile: { file, since },
      left: before && { account: toKeyringAccount(before), since },
    };
  }
  try {
    writeJsonFile(file, { base_url: baseUrl, keyring: true, last4: kept.last4 });
  } catch (error) {
    if (isNew) keyring.remove(toKeyringAccount(kept));
    throw error;
  }
  return { inFile: undefined, left: before && isNew ? removed(before, keyring) : undefined };
}

/**
 * Forgets a login, a damaged one too: first its key in the keyring, so that an interruption leaves
 * something that can be forgotten again.
 */
export function deleteLogin(
  directories: Directories,
  mode: Mode,
  keyring: Keyring,
): { wasThere: boolean; left: LeftoverKey | undefined } {
  const before = keptInKeyring(directories, mode);
  const left = before && removed(before, keyring);
  return { wasThere: deleteFile(loginFile(directories, mode)), left };
}

export function hasLogin(directories: Directories, mode: Mode): boolean {
  return existsSync(loginFile(directories, mode));
}

/** Removes a key from the keyring; gives what is left there where that fails. */
function removed(kept: KeyInKeyring, keyring: Keyring): LeftoverKey | undefined {
  const account = toKeyringAccount(kept);
  const answer = keyring.remove(account);
  if (answer.answer === "done" || answer.answer === "none") return undefined;
  return { account, since: describeKeyringFailure(answer) };
}

function readLogin(directories: Directories, mode: Mode): StoredLogin | undefined {
  const isOfMode = (value: unknown): value is StoredLogin => isLogin(value, mode);
  return readJsonFile(loginFile(directories, mode), isOfMode);
}

function isProfile(value: unknown): value is Profile {
  return modes.some((mode) => mode === fieldsOf(value).mode);
}

function isLogin(value: unknown, mode: Mode): boolean {
  const { base_url: baseUrl, key, keyring, last4 } = fieldsOf(value);
  if (typeof baseUrl !== "string" || !URL.canParse(baseUrl)) return false;
  if (typeof key === "string") return apiKeyPattern.test(key) && parseKeyMode(key) === mode;
  return keyring === true && typeof last4 === "string" && /^[A-Za-z0-9]{4}$/.test(last4);
}

type Fields = Partial<Record<"mode" | "base_url" | "key" | "keyring" | "last4", unknown>>;

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? value : {};
}

/** What the keyring holds of a login; a damaged one is as good as none, for it is replaced. */
function keptInKeyring(directories: Directories, mode: Mode): KeyInKeyring | undefined {
  try {
    const stored = readLogin(directories, mode);
    if (!stored || "key" in stored) return undefined;
    return { mode, baseUrl: stored.base_url, last4: stored.last4 };
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}

function loginFile({ config }: Directories, mode: Mode): string {
  return join(config, `login-${mode}.json`);
}
