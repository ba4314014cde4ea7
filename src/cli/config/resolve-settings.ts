import { join } from "node:path";
import { apiKeyPattern, parseKeyMode, modes, type Mode } from "../../contract/key.ts";
import { findVersionMistake } from "../../contract/headers.ts";
import { blankVariable, isBlank } from "./blank-settings.ts";
import { resolveDirectories, type Directories, type Environment } from "./directories.ts";
import { readKeyFile } from "../parse/read-input.ts";
import { openKeyring } from "./keyring.ts";
import { storedLogin, readMode, type UsableKey } from "./profile.ts";
import { CommandError, usageError } from "../errors/command-error.ts";

export type SettingFlags = {
  mode?: string | undefined;
  "api-key-file"?: string | undefined;
  "base-url"?: string | undefined;
  "service-version"?: string | undefined;
  database?: string | undefined;
  account?: string | undefined;
};

/** `embedded`: the service in the command's own process, which has keys of its own. */
export type Settings = {
  directories: Directories;
  mode: Mode;
  baseUrl: string;
  /** Undefined: the embedded service needs none, or has its own. */
  key: UsableKey | undefined;
  serviceVersion: string | undefined;
  /** The embedded service's. */
  database: string;
  /** Whether somebody named it: then it is no database of this user's own, which any command may begin. */
  isDatabaseNamed: boolean;
  /** The account to act in, by the id, where no key says it. */
  account: string | undefined;
};

export const embedded = "embedded";

/**
 * What a command works with: flag, environment, stored, default, in this order. Errors: a mode and a
 * key that contradict each other, or a key that would go to a service it was not stored for, before
 * any request is sent.
 */
export async function resolveSettings(
  flags: SettingFlags,
  env: Environment,
  keyring = openKeyring(env),
): Promise<Settings> {
  const directories = resolveDirectories(env);
  const given = await givenKey(flags["api-key-file"], env);
  const asked = modeNamed(flags.mode ?? env["PAYMENTS_MODE"]);
  const keyMode = given && parseKeyMode(given.value());
  if (asked && keyMode && asked !== keyMode) throw contradiction(asked, keyMode, given.source);
  const mode = asked ?? keyMode ?? readMode(directories) ?? "test";
  const url = flags["base-url"] ?? env["PAYMENTS_BASE_URL"];
  const givenUrl = url === undefined ? undefined : parseBaseUrl(url);
  const isAllGiven = givenUrl !== undefined && (given || givenUrl === embedded);
  const login = isAllGiven ? undefined : storedLogin(directories, mode, keyring);
  const baseUrl = givenUrl ?? login?.baseUrl ?? embedded;
  if (flags.account !== undefined && (given || baseUrl !== embedded)) throw keySaysAccount();
  return {
    directories,
    mode,
    baseUrl,
    key: given ?? keyFor(login, baseUrl, mode),
    serviceVersion: version(flags["service-version"] ?? env["PAYMENTS_SERVICE_VERSION"]),
    database: resolveDatabase(flags.database, env),
    isDatabaseNamed: isDatabaseNamed(flags.database, env),
    account: resolveAccount(flags.account, env),
  };
}

/** The service as a sentence names it. */
export function describeService({ baseUrl }: Pick<Settings, "baseUrl">): string {
  return baseUrl === embedded ? "the embedded service" : baseUrl;
}

/** Refuses what customers could not reach: a service that ends with its command has no pages. */
export function refuseEmbedded({ baseUrl }: Settings): void {
  if (baseUrl !== embedded) return;
  throw usageError(
    "A payment page needs a running service: the embedded one ends with its command. Nothing was sent.",
    "Start one with payments serve, then payments login --base-url http://127.0.0.1:8402; or name one that runs with --base-url.",
  );
}

/** The mode that commands use, for those that need no key: one that is no good does not matter. */
export function resolveMode(env: Environment): Mode {
  return (
    modeNamed(env["PAYMENTS_MODE"]) ??
    parseKeyMode(env["PAYMENTS_API_KEY"]?.trim() ?? "") ??
    readMode(resolveDirectories(env)) ??
    "test"
  );
}

/** The database of `serve`, `keys`, `migrate`, `backup` and the embedded service, as it was given. */
export function resolveDatabase(flag: string | undefined, env: Environment): string {
  const file = join(resolveDirectories(env).data, "payments.db");
  return flag ?? env["PAYMENTS_DATABASE"] ?? `sqlite:${file}`;
}

/** Whether that is one that somebody named, and not their own, which every command may begin. */
export function isDatabaseNamed(flag: string | undefined, env: Environment): boolean {
  return (flag ?? env["PAYMENTS_DATABASE"]) !== undefined;
}

/** The account that a command acts in, where one was named. */
export function resolveAccount(flag: string | undefined, env: Environment): string | undefined {
  return flag ?? env["PAYMENTS_ACCOUNT"];
}

/** Where a service is, or `embedded`. */
export function parseBaseUrl(value: string): string {
  return value === embedded ? embedded : parseUrl(value, "The base URL");
}

/** The address of a service in one form, without a slash at its end. */
export function parseUrl(value: string, what: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (
    !url ||
    !/^https?:$/.test(url.protocol) ||
    url.username ||
    url.password ||
    url.search ||
    url.hash
  ) {
    throw usageError(
      `${what} must be an http or https address without user, query or fragment.`,
      "For example https://payments.example.com.",
    );
  }
  return url.href.replace(/\/+$/, "");
}

/** Refuses what cannot be a key before it is sent anywhere; never repeats it. */
export function checkKey(value: string, source: string): string {
  if (apiKeyPattern.test(value)) return value;
  if (value === "") {
    throw new CommandError(
      "key",
      `The API key from ${source} is empty.`,
      "Put a key there, svc_test_sk_ or svc_live_sk_ and 43 letters and digits, or log in with payments login.",
    );
  }
  throw new CommandError(
    "key",
    `The API key from ${source} is malformed.`,
    "A key is svc_test_sk_ or svc_live_sk_ and 43 letters and digits. Check that it was copied whole.",
  );
}

async function givenKey(
  file: string | undefined,
  env: Environment,
): Promise<UsableKey | undefined> {
  if (file !== undefined) {
    return keyFrom(await readKeyFile(file), file === "-" ? "standard input" : file);
  }
  const value = env["PAYMENTS_API_KEY"];
  if (value === undefined) return undefined;
  if (isBlank(value)) throw blankVariable("PAYMENTS_API_KEY");
  return keyFrom(value, "PAYMENTS_API_KEY");
}

function keyFrom(text: string, source: string): UsableKey {
  const key = checkKey(text.trim(), source);
  return { last4: key.slice(-4), source, value: () => key };
}

function keyFor(
  login: { baseUrl: string; key: UsableKey } | undefined,
  baseUrl: string,
  mode: Mode,
): UsableKey | undefined {
  if (baseUrl === embedded) return undefined;
  if (login?.baseUrl === baseUrl) return login.key;
  throw new CommandError(
    "key",
    `There is no ${mode} key for ${baseUrl}.`,
    `Log in with payments login --base-url ${baseUrl}, or set PAYMENTS_API_KEY.`,
  );
}

function modeNamed(value: string | undefined): Mode | undefined {
  if (value === undefined) return undefined;
  const mode = modes.find((known) => known === value);
  if (mode) return mode;
  throw usageError(
    "The mode must be test or live.",
    "Check PAYMENTS_MODE, or use --mode test or --mode live.",
  );
}

function version(value: string | undefined): string | undefined {
  if (value === undefined || findVersionMistake(value) === undefined) return value;
  throw usageError(
    "The service version must be a date written YYYY-MM-DD.",
    "For example --service-version 2026-11-01.",
  );
}

function contradiction(asked: Mode, keyMode: Mode, source: string): CommandError {
  return new CommandError(
    "key",
    `The mode is ${asked}, but the key from ${source} is a ${keyMode} key. Nothing was sent.`,
    `Use --mode ${keyMode}, or a ${asked} key.`,
  );
}

function keySaysAccount(): CommandError {
  return usageError(
    "--account chooses among the accounts of a database, but a key says its own. Nothing was sent.",
    "Leave out --account, or act on the service's database: --base-url embedded --database …, without a key.",
  );
}
