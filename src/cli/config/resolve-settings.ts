import { join } from "node:path";
import { parseKeyMode } from "../../contract/administration.ts";
import { type Mode, modes } from "../../contract/field-values.ts";
import { findVersionMistake } from "../../contract/route.ts";
import { checksCertificates, isConfidential } from "../../runtime/transport-safety.ts";
import { parseUrl, toVariable } from "../flags/checked-values.ts";
import { CommandError, usageError } from "../output/command-error.ts";
import { type Directories, type Environment, resolveDirectories } from "./blank-settings.ts";
import {
  type ChosenContext,
  type Source,
  assertContext,
  findNamedContext,
  hasSeveralContexts,
  readContextInUse,
  resolveContext,
} from "./contexts.ts";
import { openKeyring } from "./keyring.ts";
import {
  type Place,
  type UsableKey,
  embedded,
  readGivenKey,
  readLogin,
  readMode,
  readProfile,
  readService,
  toUsableKey,
} from "./profile.ts";

export type SettingFlags = {
  context?: string | undefined;
  mode?: string | undefined;
  "api-key-file"?: string | undefined;
  "base-url"?: string | undefined;
  "service-version"?: string | undefined;
  database?: string | undefined;
  account?: string | undefined;
};

/** A `baseUrl` of `embedded` stands for the service in the command's own process, which has its own keys. */
export type Settings = {
  directories: Directories;
  mode: Mode;
  baseUrl: string;
  /** Undefined on the embedded service, which needs none or has its own. */
  key: UsableKey | undefined;
  serviceVersion: string | undefined;
  /** The embedded service's. */
  database: string;
  isDatabaseNamed: boolean;
  /** The id of the account to act in, where no key determines it. */
  account: string | undefined;
  /** The context whose service this is; undefined for a service that the user gave with a key. */
  context: string | undefined;
  hasSeveralContexts: boolean;
  sources: Record<"context" | "mode" | "base_url" | "service_version", Source>;
};

/** `publishedKey` goes to a service for which there is no other key: everyone knows it. */
type ResolveOptions = { keyring?: ReturnType<typeof openKeyring>; publishedKey?: string };

/**
 * Resolves the settings of a command: flag, environment, stored, default, in this order. Each is read once, so that what
 * another terminal changes later does not matter. Errors, before any request is sent: a mode and a key that contradict
 * each other; a key that would go to a service it was not stored for, or that it may not be of.
 */
export async function resolveSettings(
  flags: SettingFlags,
  env: Environment,
  { keyring = openKeyring(env), publishedKey }: ResolveOptions = {},
): Promise<Settings> {
  const directories = resolveDirectories(env);
  const given = await readGivenKey(flags["api-key-file"], isOfOtherService(flags, env) ? {} : env);
  const named = parseMode(flags.mode ?? env["PAYMENTS_MODE"]);
  const keyMode = given && parseKeyMode(given.value());
  if (named && keyMode && named !== keyMode) {
    throw new CommandError(
      "key",
      `The mode is ${named}, but the key from ${given.source} is a ${keyMode} key. Nothing was sent.`,
      `Use --mode ${keyMode}, or a ${named} key.`,
    );
  }
  const givenUrl = parseGivenUrl(flags, env);
  // A typed --database is one for the embedded service, whatever the environment names.
  const namedContext = findNamedContext(flags.context, flags.database === undefined ? env : {});
  const isAllGiven = givenUrl !== undefined && given && !namedContext;
  const context = isAllGiven ? undefined : (namedContext ?? readContextInUse(directories));
  if (context) assertContext(directories, context);
  const several = hasSeveralContexts(directories);
  const place = { ...directories, context: context?.name };
  const storedMode = context && readMode(place);
  const mode = named ?? keyMode ?? storedMode ?? "test";
  const isEmbedded = !context || context.name === embedded;
  const login = isEmbedded ? undefined : readLogin(place, mode, keyring);
  const ownUrl = isEmbedded ? embedded : readService(place, mode);
  const urlSource = findUrlSource(flags, env);
  if (namedContext && urlSource && givenUrl !== ownUrl) {
    throw usageError(
      `The context ${namedContext.name} is for ${ownUrl}, but ${urlSource} names another service. Nothing was sent.`,
      `Leave out ${urlSource}, or choose the context of that service: payments context list shows them.`,
    );
  }
  if (several && given && givenUrl === undefined) {
    throw usageError(
      `The key from ${given.source} may be of any of your contexts. Nothing was sent.`,
      "Name its service beside it, in PAYMENTS_BASE_URL or with --base-url, or leave out the key to use the context's own.",
    );
  }
  // What was named, or chosen among several, is replaced by nothing else.
  const isBound = several || namedContext !== undefined;
  const baseUrl = givenUrl ?? login?.baseUrl ?? (isBound ? ownUrl : undefined) ?? embedded;
  if (flags.account !== undefined && (given || baseUrl !== embedded)) {
    throw usageError(
      "--account chooses among the accounts of a database, but a key belongs to one account. Nothing was sent.",
      "Leave out --account, or act on the service's database: --database …, without a key.",
    );
  }
  const isOwn = baseUrl === ownUrl;
  const profile = isOwn && !isEmbedded ? readProfile(place) : {};
  const versionSource = findSource(flags, env, "service-version");
  return {
    directories,
    mode,
    baseUrl,
    key:
      given ??
      selectKey({
        login,
        baseUrl,
        mode,
        publishedKey,
        context: isOwn && isBound ? context : undefined,
      }),
    serviceVersion: checkServiceVersion(
      flags["service-version"] ?? env["PAYMENTS_SERVICE_VERSION"] ?? profile.service_version,
    ),
    database: resolveDatabase(flags.database, env),
    isDatabaseNamed: isDatabaseNamed(flags.database, env),
    account: resolveAccount(flags.account, env),
    context: baseUrl === embedded ? embedded : isOwn ? context?.name : undefined,
    hasSeveralContexts: several,
    sources: {
      context: context?.source ?? urlSource ?? "default",
      mode:
        findSource(flags, env, "mode") ??
        (keyMode &&
          (flags["api-key-file"] === undefined ? "PAYMENTS_API_KEY" : "--api-key-file")) ??
        (storedMode ? "stored" : "default"),
      base_url: urlSource ?? (baseUrl === embedded ? "default" : "stored"),
      service_version:
        versionSource ?? (profile.service_version === undefined ? "default" : "stored"),
    },
  };
}

/** The flag or the variable that gives a setting; undefined where neither does. */
function findSource(
  flags: SettingFlags,
  env: Environment,
  flag: "mode" | "base-url" | "service-version",
): Source | undefined {
  if (flags[flag] !== undefined) return `--${flag}`;
  const variable = toVariable(flag);
  return env[variable] === undefined ? undefined : variable;
}

function findUrlSource(flags: SettingFlags, env: Environment): Source | undefined {
  const isTypedDatabase = flags["base-url"] === undefined && flags.database !== undefined;
  return isTypedDatabase ? "--database" : findSource(flags, env, "base-url");
}

/** Whether the environment's key is for the service beside it, and not for the typed database. */
function isOfOtherService(flags: SettingFlags, env: Environment): boolean {
  const { PAYMENTS_BASE_URL: url = embedded } = env;
  return flags.database !== undefined && flags["base-url"] === undefined && url !== embedded;
}

/** A typed `--database` is one for the embedded service, whatever the environment or a login names. */
function parseGivenUrl(flags: SettingFlags, env: Environment): string | undefined {
  const named = flags.database === undefined ? env["PAYMENTS_BASE_URL"] : embedded;
  const url = flags["base-url"] ?? named;
  const parsed = url === undefined ? undefined : parseBaseUrl(url);
  if (flags.database === undefined || parsed === embedded) return parsed;
  throw usageError(
    "--database is for the embedded service, but --base-url names another one. Nothing was sent.",
    "Leave out one of them.",
  );
}

/** Names the place of a command: its context, else its service, and the mode. */
export function describePlace({ context, baseUrl, mode }: Settings): string {
  return `${context ?? baseUrl} (${mode})`;
}

/** Names the service in a sentence. */
export function describeService({ baseUrl }: Pick<Settings, "baseUrl">): string {
  return baseUrl === embedded ? "the embedded service" : baseUrl;
}

/** Refuses a payment page on the embedded service, which ends with its command: no customer could open the page. */
export function refuseEmbedded({ baseUrl }: Settings): void {
  if (baseUrl !== embedded) return;
  throw usageError(
    "A payment page needs a running service: the embedded one ends with its command. Nothing was sent.",
    "For tests, start payments sandbox, then payments login --sandbox. Else start payments serve, then payments login --base-url http://127.0.0.1:8402; or name one that runs with --base-url.",
  );
}

/** Refuses live mode to a command that works with test payments alone; `what` says what it does. */
export function refuseLive({ mode }: Pick<Settings, "mode">, what: string): void {
  if (mode !== "live") return;
  throw usageError(`${what}, but the mode is live. Nothing was sent.`, "Use --mode test.");
}

/**
 * Refuses the embedded service to a command whose mode the user did not choose, where only the other mode has a login:
 * that login's service was meant, not another one.
 */
export function refuseOtherLogin(
  { baseUrl, mode, key }: Settings,
  flags: SettingFlags,
  env: Environment,
): void {
  const isChosen = (flags["base-url"] ?? env["PAYMENTS_BASE_URL"]) !== undefined;
  if (baseUrl !== embedded || isChosen || key || isDatabaseNamed(flags.database, env)) return;
  const place = resolvePlace(flags.context, env);
  if (place.context === embedded) return;
  const otherMode = mode === "live" ? "test" : "live";
  const login = readLogin(place, otherMode, openKeyring(env));
  if (!login) return;
  throw new CommandError(
    "key",
    `There is no ${mode} key for ${login.baseUrl}, only a ${otherMode} key. Nothing was sent.`,
    `Log in with a ${mode} key: payments login; or use --mode ${otherMode}, or --base-url embedded.`,
  );
}

/** The mode for commands that need no key, and so accept a malformed one. */
export function resolveMode(env: Environment, place: Place = resolvePlace(undefined, env)): Mode {
  return (
    parseMode(env["PAYMENTS_MODE"]) ??
    parseKeyMode(env["PAYMENTS_API_KEY"]?.trim() ?? "") ??
    readMode(place) ??
    "test"
  );
}

/** Where the settings of the context of a command are, of one that needs no key. */
export function resolvePlace(
  context: string | undefined,
  env: Environment,
): Directories & { context: string } {
  const directories = resolveDirectories(env);
  return { ...directories, context: resolveContext(context, env, directories).name };
}

/** The database of `serve`, `keys`, `migrate`, `backup` and the embedded service. */
export function resolveDatabase(flag: string | undefined, env: Environment): string {
  const file = join(resolveDirectories(env).data, "payments.db");
  return flag ?? env["PAYMENTS_DATABASE"] ?? `sqlite:${file}`;
}

/** Whether the user named a database; without a name payment commands may create the user's own. */
export function isDatabaseNamed(flag: string | undefined, env: Environment): boolean {
  return (flag ?? env["PAYMENTS_DATABASE"]) !== undefined;
}

/** The named account of a command. */
export function resolveAccount(flag: string | undefined, env: Environment): string | undefined {
  return flag ?? env["PAYMENTS_ACCOUNT"];
}

export function parseBaseUrl(value: string): string {
  return value === embedded ? embedded : parseUrl(value, "The base URL");
}

type KeyChoice = {
  login: { baseUrl: string; key: UsableKey } | undefined;
  baseUrl: string;
  mode: Mode;
  publishedKey: string | undefined;
  /** The one whose service this is. */
  context: ChosenContext | undefined;
};

/** Errors: there is no key of this mode for the service. */
function selectKey({
  login,
  baseUrl,
  mode,
  publishedKey,
  context,
}: KeyChoice): UsableKey | undefined {
  if (baseUrl === embedded) return undefined;
  if (login?.baseUrl === baseUrl) return login.key;
  if (context) {
    const other = mode === "live" ? "test" : "live";
    throw new CommandError(
      "key",
      `The context ${context.name} has no ${mode} key. Nothing was sent.`,
      `Store one with payments login --context ${context.name} --base-url ${baseUrl}, or use --mode ${other}.`,
    );
  }
  if (publishedKey !== undefined) return toUsableKey(publishedKey, "every sandbox");
  throw new CommandError(
    "key",
    `There is no ${mode} key for ${baseUrl}.`,
    `Log in with payments login --base-url ${baseUrl}, or set PAYMENTS_API_KEY.`,
  );
}

function parseMode(value: string | undefined): Mode | undefined {
  if (value === undefined) return undefined;
  const mode = modes.find((known) => known === value);
  if (mode) return mode;
  throw usageError(
    "The mode must be test or live.",
    "Check PAYMENTS_MODE, or use --mode test or --mode live.",
  );
}

export function checkServiceVersion(value: string | undefined): string | undefined {
  if (value === undefined || findVersionMistake(value) === undefined) return value;
  throw usageError(
    "The service version must be a date written YYYY-MM-DD.",
    "For example --service-version 2026-11-01.",
  );
}

// Only the service may read the key: the connection must be encrypted, and certificates checked. The
// embedded service runs in this process and needs no connection.

type Target = Pick<Settings, "baseUrl" | "mode">;

export type TransportFlags = { "allow-http"?: boolean | undefined };

export function assertSafeTransport(
  { baseUrl, mode }: Target,
  flags: TransportFlags,
  env: Environment,
): void {
  assertEncrypted(baseUrl, flags);
  if (baseUrl === embedded || mode !== "live" || checksCertificates(env)) return;
  throw new CommandError(
    "key",
    `${uncheckedPhrase}: a live key could go to anyone who answers for ${baseUrl}. Nothing was sent.`,
    remedy,
  );
}

/** Refuses plain HTTP beyond this machine, unless the user allowed it. */
export function assertEncrypted(
  baseUrl: string,
  { "allow-http": isAllowed }: TransportFlags,
): void {
  if (baseUrl === embedded || isAllowed) return;
  if (isConfidential(baseUrl)) return;
  throw new CommandError(
    "key",
    `The key would go to ${baseUrl} without encryption, so others could read it. Nothing was sent.`,
    "Use https://, or on this machine http://127.0.0.1; --allow-http sends it anyway.",
  );
}

/** Refuses to forward live events, which have customers' data, where others could read them. */
export function assertSafeForwarding(
  url: URL,
  { mode }: Pick<Target, "mode">,
  { "allow-http": isAllowed }: TransportFlags,
  env: Environment,
): void {
  if (mode !== "live") return;
  if (!isConfidential(url) && !isAllowed) {
    throw usageError(
      "Forwarding would send live events over plain HTTP to another machine, so others could read them. Nothing was sent.",
      "Use https://, or a program on this machine, such as http://127.0.0.1:3000; --allow-http sends them anyway.",
    );
  }
  if (url.protocol !== "https:" || checksCertificates(env)) return;
  throw new CommandError(
    "key",
    `${uncheckedPhrase}: live events could go to anyone who answers for ${url.host}. Nothing was sent.`,
    remedy,
  );
}

/** The warning about a transport that is allowed, but not safe. */
export function describeUnsafeTransport({ baseUrl }: Target, env: Environment): string | undefined {
  if (baseUrl === embedded || checksCertificates(env)) return undefined;
  return `${uncheckedPhrase}: others on the network could read the key and the cards. ${remedy}`;
}

// The launcher suppresses Node's own warning, which this one replaces.
const uncheckedPhrase = "NODE_TLS_REJECT_UNAUTHORIZED=0 turns off the check of certificates";

const remedy =
  "Unset it; a certificate authority of your own is trusted where NODE_EXTRA_CA_CERTS names its file.";
