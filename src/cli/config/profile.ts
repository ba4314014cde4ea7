import { existsSync, lstatSync, realpathSync, rmSync, statSync } from "node:fs";
import { dirname, join, parse } from "node:path";
import { apiKeyPattern, parseKeyMode } from "../../contract/administration.ts";
import { type Mode, modes } from "../../contract/field-values.ts";
import { describeFsError, findFile, makeFolder } from "../../runtime/user-files.ts";
import { CommandError } from "../output/command-error.ts";
import { readKeyFile } from "../flags/read-input.ts";
import { type Directories, type Environment, blankVariable, isBlank } from "./blank-settings.ts";
import openConf from "./conf.cjs";
import type { Keyring } from "./keyring.ts";

/** A key, and the only service that may receive it. */
export type Login = { baseUrl: string; key: string };

/** A key to use: its last characters, its source, and its value, which is read only when needed. */
export type UsableKey = { last4: string; source: string; value: () => string };

export function toUsableKey(key: string, source: string): UsableKey {
  return { last4: key.slice(-4), source, value: () => key };
}

/** An entry that could not be removed from the keyring, and why. */
type LeftoverKey = { account: string; since: string };

type StoredLogin = {
  /** The file that holds the key, and why the keyring does not. */
  inFile: { file: string; since: string } | undefined;
  /** An earlier key of no further use. */
  left: LeftoverKey | undefined;
  /** The login to another service that this one replaced, with another key. */
  replaced: { baseUrl: string; last4: string } | undefined;
};

/** A file's content, checked by hand: loading zod takes longer than a command runs. */
type LoginFile = { base_url: string } & ({ key: string } | { keyring: true; last4: string });

/** The mode that `payments mode` has set. */
export function readMode({ config }: Directories): Mode | undefined {
  return readJsonFile(join(config, "config.json"), isProfile)?.mode;
}

export function storeMode({ config }: Directories, mode: Mode): void {
  writeJsonFile(join(config, "config.json"), { mode });
}

/** Reads the login of a mode. Each has its own file, so that two logins never undo each other. */
export function readLogin(
  directories: Directories,
  mode: Mode,
  keyring: Keyring,
): { baseUrl: string; key: UsableKey } | undefined {
  const login = readLoginFile(directories, mode);
  if (!login) return undefined;
  const baseUrl = login.base_url;
  if ("key" in login) {
    return { baseUrl, key: toUsableKey(login.key, loginFile(directories, mode)) };
  }
  const { last4 } = login;
  let cached: string | undefined;
  const value = () => (cached ??= readKey(keyring, { mode, baseUrl, last4 }));
  return { baseUrl, key: { last4, source: "keyring", value } };
}

/**
 * Stores a login: its key in the keyring if that works, else in the file. The file decides. It is replaced
 * in one step after the new key enters the keyring and before the old one leaves it, so that an
 * interruption leaves the old login or the new one, and either works.
 */
export function storeLogin(
  directories: Directories,
  mode: Mode,
  { baseUrl, key }: Login,
  keyring: Keyring,
): StoredLogin {
  const file = loginFile(directories, mode);
  const before = findKeyInKeyring(directories, mode);
  const last4 = key.slice(-4);
  const replaced = findReplaced(directories, mode, { baseUrl, last4 });
  const account = toKeyringAccount({ mode, baseUrl, last4 });
  const accountBefore = before && toKeyringAccount(before);
  const stored = keyring.set(account, key);
  if (stored.answer !== "done") {
    writeJsonFile(file, { base_url: baseUrl, key });
    // The keyring has just failed: a second call would only take longer.
    const since = stored.reason;
    return {
      inFile: { file, since },
      left: accountBefore === undefined ? undefined : { account: accountBefore, since },
      replaced,
    };
  }
  const isNew = account !== accountBefore;
  try {
    writeJsonFile(file, { base_url: baseUrl, keyring: true, last4 });
  } catch (error) {
    if (isNew) keyring.remove(account);
    throw error;
  }
  return { inFile: undefined, left: isNew ? removeKey(before, keyring) : undefined, replaced };
}

/** The login that a new one replaces, where it is to another service: the same key replaces nothing. */
function findReplaced(
  directories: Directories,
  mode: Mode,
  login: { baseUrl: string; last4: string },
): StoredLogin["replaced"] {
  const before = tryReadLoginFile(directories, mode);
  if (!before || before.base_url === login.baseUrl) return undefined;
  const last4 = "key" in before ? before.key.slice(-4) : before.last4;
  return last4 === login.last4 ? undefined : { baseUrl: before.base_url, last4 };
}

/**
 * Deletes a login, even a damaged one. Its key in the keyring goes first, so that after an interruption the
 * file still names the entry and the user can repeat the command.
 */
export function deleteLogin(
  directories: Directories,
  mode: Mode,
  keyring: Keyring,
): { wasThere: boolean; left: LeftoverKey | undefined } {
  const left = removeKey(findKeyInKeyring(directories, mode), keyring);
  return { wasThere: deleteFile(loginFile(directories, mode)), left };
}

export function hasLogin(directories: Directories, mode: Mode): boolean {
  return existsSync(loginFile(directories, mode));
}

/** Removes a key from the keyring; returns the entry that is left if that fails. */
function removeKey(entry: KeyInKeyring | undefined, keyring: Keyring): LeftoverKey | undefined {
  if (!entry) return undefined;
  const account = toKeyringAccount(entry);
  const answer = keyring.remove(account);
  return "reason" in answer ? { account, since: answer.reason } : undefined;
}

/** The login's entry in the keyring. */
function findKeyInKeyring(directories: Directories, mode: Mode): KeyInKeyring | undefined {
  const login = tryReadLoginFile(directories, mode);
  if (!login || "key" in login) return undefined;
  return { mode, baseUrl: login.base_url, last4: login.last4 };
}

/** None for a damaged file, which the caller replaces. */
function tryReadLoginFile(directories: Directories, mode: Mode): LoginFile | undefined {
  try {
    return readLoginFile(directories, mode);
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}

function readLoginFile(directories: Directories, mode: Mode): LoginFile | undefined {
  const isLogin = (value: unknown): value is LoginFile => {
    const { base_url: baseUrl, key, keyring, last4 } = fieldsOf(value);
    if (typeof baseUrl !== "string" || !URL.canParse(baseUrl)) return false;
    if (typeof key === "string") return apiKeyPattern.test(key) && parseKeyMode(key) === mode;
    return keyring === true && typeof last4 === "string" && /^[A-Za-z0-9]{4}$/.test(last4);
  };
  return readJsonFile(loginFile(directories, mode), isLogin);
}

function loginFile({ config }: Directories, mode: Mode): string {
  return join(config, `login-${mode}.json`);
}

function isProfile(value: unknown): value is { mode: Mode } {
  return modes.some((mode) => mode === fieldsOf(value)["mode"]);
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return Object(value) as Record<string, unknown>;
}

/** A key in the keyring, as far as it is known without a call into the keyring. */
type KeyInKeyring = { mode: Mode; baseUrl: string; last4: string };

/**
 * The name of a key's entry. It contains the mode and the service, so that no settings file can send a key
 * anywhere else, and the key's last characters, so that a new key never overwrites the one still in use.
 */
function toKeyringAccount({ mode, baseUrl, last4 }: KeyInKeyring): string {
  return `${mode} ${baseUrl} ${last4}`;
}

/** Errors: the keyring does not return the key, or returns something else. */
function readKey(keyring: Keyring, entry: KeyInKeyring): string {
  const { mode, baseUrl, last4 } = entry;
  const answer = keyring.get(toKeyringAccount(entry));
  if (answer.answer === "secret") {
    const { secret } = answer;
    const isKey = apiKeyPattern.test(secret) && parseKeyMode(secret) === mode;
    if (isKey && secret.endsWith(last4)) return secret;
  }
  const logIn = `Log in again with payments login --base-url ${baseUrl}`;
  const [what, remedy] =
    answer.answer === "secret" && answer.secret === ""
      ? ["is empty in the keyring", logIn]
      : answer.answer === "secret"
        ? ["was replaced in the keyring by something else", logIn]
        : answer.answer === "none"
          ? ["is no longer in the keyring", logIn]
          : [`is stored in the keyring, but ${answer.reason}`, remedies[answer.answer]];
  throw new CommandError(
    "key",
    `The ${mode} key for ${baseUrl} ${what}.`,
    `${remedy}, or give the key in PAYMENTS_API_KEY or with --api-key-file.`,
  );
}

const reachKeyring =
  "Try again where the keyring can be reached and is unlocked, log in again with payments login";
const remedies = {
  locked: "Unlock the keyring and try again",
  unavailable: reachKeyring,
  absent: reachKeyring,
};

/** Refuses a malformed key before it is sent anywhere, and never repeats it. */
export function checkKey(value: string, source: string): string {
  if (apiKeyPattern.test(value)) return value;
  const form = "svc_test_sk_ or svc_live_sk_ and 43 letters and digits";
  const [what, hint] =
    value === ""
      ? ["empty", `Put a key there, ${form}, or log in with payments login.`]
      : ["malformed", `A key is ${form}. Check that it was copied whole.`];
  throw new CommandError("key", `The API key from ${source} is ${what}.`, hint);
}

/** The key of `--api-key-file`, else of the environment: one that the user gives to this command alone. */
export async function readGivenKey(
  file: string | undefined,
  env: Environment,
): Promise<UsableKey | undefined> {
  if (file !== undefined) {
    return parseKey(await readKeyFile(file), file === "-" ? "standard input" : file);
  }
  const value = env["PAYMENTS_API_KEY"];
  if (value === undefined) return undefined;
  if (isBlank(value)) throw blankVariable("PAYMENTS_API_KEY");
  return parseKey(value, "PAYMENTS_API_KEY");
}

function parseKey(text: string, source: string): UsableKey {
  return toUsableKey(checkKey(text.trim(), source), source);
}

// Small files that only their owner may read. Each is replaced as a whole, so that neither an
// interruption nor a full disk leaves half of one. Links are followed, since users may store their
// settings elsewhere and link to them: the file behind a link is read, replaced and deleted.

/** The content of a file, or undefined where there is none. Errors: it is damaged. */
export function readJsonFile<Value>(
  file: string,
  isValid: (value: unknown) => value is Value,
): Value | undefined {
  const content = readContent(file);
  if (content === undefined) return undefined;
  if (isValid(content)) return content;
  throw new CommandError(
    "unavailable",
    `The file ${file} is damaged.`,
    "Repair it, or delete it. payments logout --mode test, or live, deletes a stored key.",
  );
}

export function writeJsonFile(file: string, value: Record<string, unknown>): void {
  try {
    makeFolder(dirname(file));
    findFile(file); // refuses what is not a file
    outsideSnap(() => {
      openFile(file, { clearInvalidConfig: true }).store = value;
    });
  } catch (error) {
    throw fileFailure(file, error);
  }
}

/** Returns whether the file existed. The file behind a link is deleted too: it may hold a key. */
export function deleteFile(file: string): boolean {
  try {
    if (!lstatSync(file, { throwIfNoEntry: false })) return false;
    if (statSync(file, { throwIfNoEntry: false })?.isFile()) rmSync(realpathSync(file));
    rmSync(file, { force: true });
    return true;
  } catch (error) {
    throw fileFailure(file, error);
  }
}

/** Undefined where there is no file, null where it holds no JSON. */
function readContent(file: string): unknown {
  try {
    if (findFile(file) === undefined) return undefined;
    const { store } = openFile(file);
    return findFile(file) === undefined ? undefined : store; // conf reads a missing file as an empty one
  } catch (error) {
    if (Error.isError(error) && error.name === "SyntaxError") return null;
    throw fileFailure(file, error);
  }
}

/**
 * Reading must write nothing, or a process that only reads would undo the write of another: so there are no defaults and
 * no migrations, with which conf writes whenever a file is opened, and only a writer has a damaged file cleared.
 */
function openFile(file: string, options: Parameters<typeof openConf>[0] = {}) {
  const { dir, name, ext } = parse(file);
  return openConf({
    cwd: dir,
    configName: name,
    fileExtension: ext,
    configFileMode: 0o600,
    serialize: (value) => `${JSON.stringify(value, null, 2)}\n`,
    ...options,
  });
}

/** Hides SNAP from conf, which inside a snap would overwrite the file in place: others would read half of one. */
function outsideSnap(write: () => void): void {
  const { SNAP } = process.env;
  delete process.env["SNAP"];
  try {
    write();
  } finally {
    if (SNAP !== undefined) process.env["SNAP"] = SNAP;
  }
}

export function fileFailure(file: string, error: unknown): CommandError {
  const { reason, remedy } = describeFsError(error);
  return new CommandError(
    "unavailable",
    `The file ${file} cannot be used: ${reason}.`,
    `${remedy}, or set PAYMENTS_HOME to another folder.`,
  );
}
