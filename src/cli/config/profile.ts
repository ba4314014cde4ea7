import { existsSync, lstatSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { dirname, join, parse } from "node:path";
import { apiKeyPattern, parseKeyMode } from "../../contract/administration.ts";
import { type Mode, modes } from "../../contract/field-values.ts";
import { describeFsError, findFile, getFsErrorCode, makeFolder } from "../../runtime/user-files.ts";
import { isJsonObject } from "../../runtime/text.ts";
import { readKeyFile } from "../flags/read-input.ts";
import { CommandError } from "../output/command-error.ts";
import { type Directories, type Environment, blankVariable, isBlank } from "./blank-settings.ts";
import openConf from "./conf.cjs";
import type { Keyring } from "./keyring.ts";

/** A key, and the only service that may receive it. `account`: the id of the key's, where the service has told it. */
export type Login = { baseUrl: string; key: string; account?: string | undefined };

/** A key to use: its last characters, its source, and its value, which is read only when needed. */
export type UsableKey = { last4: string; source: string; value: () => string };

export function toUsableKey(key: string, source: string): UsableKey {
  return { last4: key.slice(-4), source, value: () => key };
}

/** An entry that could not be removed from the keyring, and why. */
export type LeftoverKey = { account: string; since: string };

type StoredLogin = {
  /** The file that holds the key, and why the keyring does not. */
  inFile: { file: string; since: string } | undefined;
  /** An earlier key of no further use. */
  left: LeftoverKey | undefined;
};

/** A file's content, checked by hand: loading zod takes longer than a command runs. */
type LoginFile = { base_url: string; account?: string } & (
  | { key: string }
  | { keyring: true; last4: string }
);

/** Where the settings of a context are: its name in the folder of settings. Without a name it is `default`. */
export type Place = Directories & { context?: string | undefined };

/** The service in the command's own process, and the context that uses it: it needs no login, and is always there. */
export const embedded = "embedded";

/** The context that the files of before there were contexts belong to: they lie in the folder of settings itself. */
export const defaultContext = "default";

/** What a context has beside its keys. `base_url`: the service of one whose keys were all deleted. */
type Profile = {
  mode?: Mode;
  base_url?: string | undefined;
  service_version?: string;
};

export function readProfile(place: Place): Profile {
  return readJsonFile(profileFile(place), isProfile) ?? {};
}

export function changeProfile(place: Place, change: Profile): void {
  writeJsonFile(profileFile(place), { ...readProfile(place), ...change });
}

/** The mode that `payments mode` has set. */
export function readMode(place: Place): Mode | undefined {
  return readProfile(place).mode;
}

export function storeMode(place: Place, mode: Mode): void {
  changeProfile(place, { mode });
}

/** Whether there is such a context. It stays when its keys are deleted, as long as it knows its service. */
export function hasContext(place: Place): boolean {
  if (modes.some((mode) => hasLogin(place, mode))) return true;
  const file = join(folderOf(place), "config.json");
  if (folderOf(place) !== place.config) return existsSync(file);
  return unlessDamaged(() => readProfile(place))?.base_url !== undefined;
}

/**
 * The service of a context. Only the files of before there were contexts may name two: then each key goes to its own, and
 * this is the one of the mode.
 */
export function readService(place: Place, mode: Mode): string | undefined {
  const [one, other] = mode === "test" ? modes : modes.toReversed();
  const login = readLoginFile(place, one ?? mode) ?? readLoginFile(place, other ?? mode);
  return login?.base_url ?? readProfile(place).base_url;
}

/** Reads the login of a mode. Each has its own file, so that two logins never undo each other. */
export function readLogin(
  place: Place,
  mode: Mode,
  keyring: Keyring,
): { baseUrl: string; key: UsableKey; account: string | undefined } | undefined {
  const login = readLoginFile(place, mode);
  if (!login) return undefined;
  const { base_url: baseUrl, account } = login;
  if ("key" in login) {
    return { baseUrl, account, key: toUsableKey(login.key, loginFile(place, mode)) };
  }
  const { last4 } = login;
  let cached: string | undefined;
  const entry = { context: place.context, mode, baseUrl, last4 };
  const value = () => (cached ??= readKey(keyring, entry));
  return { baseUrl, account, key: { last4, source: "keyring", value } };
}

/**
 * Stores a login: its key in the keyring if that works, else in the file. The file decides. It is replaced
 * in one step after the new key enters the keyring and before the old one leaves it, so that an
 * interruption leaves the old login or the new one, and either works.
 */
export function storeLogin(
  place: Place,
  mode: Mode,
  { baseUrl, key, account: owner }: Login,
  keyring: Keyring,
): StoredLogin {
  const file = loginFile(place, mode);
  const before = findKeyInKeyring(place, mode);
  const last4 = key.slice(-4);
  const login = { base_url: baseUrl, ...(owner !== undefined && { account: owner }) };
  const account = toKeyringAccount({ context: place.context, mode, baseUrl, last4 });
  const accountBefore = before && toKeyringAccount(before);
  const stored = keyring.set(account, key);
  if (stored.answer !== "done") {
    writeJsonFile(file, { ...login, key });
    // The keyring has just failed: a second call would only take longer.
    const since = stored.reason;
    return {
      inFile: { file, since },
      left: accountBefore === undefined ? undefined : { account: accountBefore, since },
    };
  }
  const isNew = account !== accountBefore;
  try {
    writeJsonFile(file, { ...login, keyring: true, last4 });
  } catch (error) {
    if (isNew) keyring.remove(account);
    throw error;
  }
  return { inFile: undefined, left: isNew ? removeKey(before, keyring) : undefined };
}

/**
 * Deletes a login, even a damaged one. Its key in the keyring goes first, so that after an interruption the
 * file still names the entry and the user can repeat the command.
 */
export function deleteLogin(
  place: Place,
  mode: Mode,
  keyring: Keyring,
): { wasThere: boolean; left: LeftoverKey | undefined } {
  const left = removeKey(findKeyInKeyring(place, mode), keyring);
  return { wasThere: deleteFile(loginFile(place, mode)), left };
}

export function hasLogin(place: Place, mode: Mode): boolean {
  return existsSync(loginFile(place, mode));
}

/** Removes a key from the keyring; returns the entry that is left if that fails. */
function removeKey(entry: KeyInKeyring | undefined, keyring: Keyring): LeftoverKey | undefined {
  if (!entry) return undefined;
  const account = toKeyringAccount(entry);
  const answer = keyring.remove(account);
  return "reason" in answer ? { account, since: answer.reason } : undefined;
}

/** The login's entry in the keyring. */
function findKeyInKeyring(place: Place, mode: Mode): KeyInKeyring | undefined {
  const login = unlessDamaged(() => readLoginFile(place, mode));
  if (!login || "key" in login) return undefined;
  return { context: place.context, mode, baseUrl: login.base_url, last4: login.last4 };
}

/** None for a damaged file, or a key that the keyring does not return. */
export function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}

function readLoginFile(place: Place, mode: Mode): LoginFile | undefined {
  const isLogin = (value: unknown): value is LoginFile => {
    const { base_url: baseUrl, account = "", key, keyring, last4 } = fieldsOf(value);
    if (typeof baseUrl !== "string" || !URL.canParse(baseUrl)) return false;
    if (typeof account !== "string") return false;
    if (typeof key === "string") return apiKeyPattern.test(key) && parseKeyMode(key) === mode;
    return keyring === true && typeof last4 === "string" && /^[A-Za-z0-9]{4}$/.test(last4);
  };
  const { context = defaultContext } = place; // named in any case: another one may be in use
  const logout = `payments logout --mode ${mode} --context ${context} deletes it.`;
  return readJsonFile(loginFile(place, mode), isLogin, logout);
}

/** The flag by which a command reaches another context than `default`, with a space before it. */
function nameContext(context = defaultContext): string {
  return context === defaultContext ? "" : ` --context ${context}`;
}

function loginFile(place: Place, mode: Mode): string {
  return join(folderOf(place), `login-${mode}.json`);
}

/**
 * The embedded service's is the one of `default` as long as there is no such context: there `payments mode` has stored its
 * mode before there were contexts.
 */
function profileFile(place: Place): string {
  const file = join(folderOf(place), "config.json");
  if (place.context !== embedded || existsSync(file)) return file;
  const ofDefault = { ...place, context: defaultContext };
  return hasContext(ofDefault) ? file : profileFile(ofDefault);
}

/** The folder of a context's files. */
export function folderOf({ config, context = defaultContext }: Place): string {
  return context === defaultContext ? config : join(config, "contexts", context);
}

function isProfile(value: unknown): value is Profile {
  const { mode = "test", base_url: baseUrl, service_version: version } = fieldsOf(value);
  const isMode = modes.some((known) => known === mode);
  const isUrl = baseUrl === undefined || (typeof baseUrl === "string" && URL.canParse(baseUrl));
  return (
    isJsonObject(value) && isMode && isUrl && (version === undefined || typeof version === "string")
  );
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return Object(value) as Record<string, unknown>;
}

/** A key in the keyring, as far as it is known without a call into the keyring. */
type KeyInKeyring = { mode: Mode; baseUrl: string; last4: string } & Pick<Place, "context">;

/**
 * The name of a key's entry. It contains the context, the mode and the service, so that no settings file can send a key
 * anywhere else, and the key's last characters, so that a new key never overwrites the one still in use. The entries of
 * `default` are those of before there were contexts.
 */
function toKeyringAccount({ context = defaultContext, mode, baseUrl, last4 }: KeyInKeyring) {
  const name = `${mode} ${baseUrl} ${last4}`;
  return context === defaultContext ? name : `${context} ${name}`;
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
  const logIn = `Log in again with payments login${nameContext(entry.context)} --base-url ${baseUrl}`;
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
  remedy = "",
): Value | undefined {
  const content = readContent(file);
  if (content === undefined) return undefined;
  if (isValid(content)) return content;
  throw new CommandError(
    "unavailable",
    `The file ${file} is damaged.`,
    `Repair it, or delete it. ${remedy}`.trim(),
  );
}

export function writeJsonFile(file: string, value: Record<string, unknown>): void {
  try {
    makeFolder(dirname(file));
    findFile(file); // refuses what is not a file
    const { dir, name, ext } = parse(file);
    outsideSnap(() => {
      const opened = openConf({
        cwd: dir,
        configName: name,
        fileExtension: ext,
        configFileMode: 0o600,
        clearInvalidConfig: true,
        serialize: (content) => `${JSON.stringify(content, null, 2)}\n`,
      });
      opened.store = value;
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

/**
 * Undefined where there is no file, null where it holds no JSON. Read without conf, which every command and every prompt
 * of a shell would wait for.
 */
function readContent(file: string): unknown {
  try {
    return findFile(file) === undefined ? undefined : JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    if (getFsErrorCode(error) === "ENOENT") return undefined; // it has just been deleted
    if (Error.isError(error) && error.name === "SyntaxError") return null;
    throw fileFailure(file, error);
  }
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
