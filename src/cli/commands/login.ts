import * as Flags from "@oclif/core/flags";
import { ApiError } from "../../client/errors.ts";
import { formatGrant, isRestricted, parseKeyMode } from "../../contract/administration.ts";
import { escapeControls } from "../../runtime/text.ts";
import { type Mode, defaultSandboxUrl, sandboxKeys } from "../../contract/field-values.ts";
import {
  type Directories,
  type Environment,
  resolveDirectories,
} from "../config/blank-settings.ts";
import {
  assertContext,
  assertContextName,
  findNamedContext,
  listContextNames,
  readContextInUse,
  useContext,
} from "../config/contexts.ts";
import { openKeyring } from "../config/keyring.ts";
import {
  type Place,
  type UsableKey,
  changeProfile,
  checkKey,
  defaultContext,
  deleteLogin,
  embedded,
  hasContext,
  readProfile,
  storeLogin,
  toUsableKey,
} from "../config/profile.ts";
import {
  type NewLogin,
  type ReplacedLogins,
  describeReplaced,
  findReplacedLogins,
} from "../config/replaced-logins.ts";
import {
  type Settings,
  assertEncrypted,
  checkServiceVersion,
  parseBaseUrl,
  resolveMode,
} from "../config/resolve-settings.ts";
import { CommandError, usageError } from "../output/command-error.ts";
import { connectionFlags, contextFlag, switchFlag, textFlag } from "../flags/flags.ts";
import { readInput } from "../flags/read-input.ts";
import { BaseCommand } from "../program/base-command.ts";
import { checkTransport, findAccount, withClient } from "../program/connection.ts";
import { type CommandFacts, readExits, promptExits } from "../output/command-facts.ts";
import { type Prompter, canceled } from "../prompts/prompter.ts";

const connection = { helpGroup: "CONNECTION" };

export default class Login extends BaseCommand {
  static override summary = "Store an API key for its mode.";
  static override description =
    "The key is read from a hidden prompt, or from standard input when that is not a terminal. Nothing is stored unless the service accepts the key. With --context it is stored in a place of its own, which payments context use, or --context, chooses.";
  static override examples = [
    "payments login --base-url https://payments.example.com",
    "payments login --base-url http://127.0.0.1:8402 < key.txt",
    "payments login --context staging --base-url https://staging.example.com",
    "payments login --sandbox",
  ];
  static override flags = {
    mode: Flags.string({
      summary: "Fail unless the key is of this mode.",
      options: ["test", "live"],
    }),
    replace: switchFlag("Replace the context's service, or its key of another account, unasked."),
    context: {
      ...contextFlag.context,
      summary:
        "The context to store the key in, which is made if it is not there. Default: the one in use.",
    },
    "base-url": textFlag("The service to log in to.", "<url>", connection),
    sandbox: switchFlag(`Log in to a sandbox with its test key. Default: ${defaultSandboxUrl}.`, {
      ...connection,
      exclusive: ["mode"],
    }),
    "service-version": textFlag("The API version that the context pins.", "<date>", connection),
    "allow-http": connectionFlags["allow-http"],
    "max-retries": connectionFlags["max-retries"],
    "request-timeout": connectionFlags["request-timeout"],
  };
  static facts: CommandFacts = {
    writes: "settings",
    repeatable: "always",
    exits: {
      ...readExits,
      ...promptExits,
      conflict:
        "it would replace the context's service, or a key of another account, without --replace",
    },
    output: null,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Login);
    const { env } = process;
    const directories = resolveDirectories(env);
    const { name: context, isNamed } = chooseContext(flags.context, env, directories);
    const place = { ...directories, context };
    const current = resolveMode(env, place); // raises an error for an invalid one before anything is sent
    const version = checkServiceVersion(flags["service-version"]);
    const isAsked = !flags.sandbox && this.canPrompt(flags);
    const prompter = isAsked ? await this.openPrompter() : undefined;
    const defaultUrl = flags.sandbox ? defaultSandboxUrl : undefined;
    const baseUrl = await readBaseUrl(flags["base-url"], defaultUrl, prompter);
    assertEncrypted(baseUrl, flags);
    const key = flags.sandbox ? sandboxKeys.test : await readKey(prompter);
    const mode = checkMode(key, flags.mode);
    checkTransport(this, { baseUrl, mode }, flags);

    const keyring = openKeyring(env);
    const login = { baseUrl, mode, key, isSandbox: flags.sandbox };
    const replaced = findReplacedLogins(place, login, keyring);
    if (replaced.isQuestion)
      await this.askToReplace(describeReplaced(place, replaced, baseUrl), flags);
    const askForAccount = async (usable: UsableKey) =>
      withClient(this, flags, toSettings(directories, { mode, baseUrl, key: usable }), findAccount);
    // Only a key that the service accepts is stored.
    const account = await askForAccount(toUsableKey(key, "login")).catch((error: unknown) => {
      const isRefused = error instanceof ApiError && error.status === 401;
      throw flags.sandbox && isRefused ? noSandboxError(baseUrl) : error;
    });
    const { here } = replaced;
    if (here && account && (await isOfOther(account.id, here, askForAccount))) {
      const what = `The ${mode} key …${here.key.last4} of the context ${context} is another account's.`;
      await this.askToReplace(what, flags);
    }

    const { name: inUse, source } = readContextInUse(directories);
    const isFirst = !isNamed && inUse === embedded;
    // A new `default` would be in use by itself.
    if (isNamed && !hasContext(place) && source === "default") useContext(directories, inUse);
    // Those first, so that an interruption leaves no context with two services.
    const forgotten = replaced.elsewhere.map((other) => deleteLogin(place, other.mode, keyring));
    const stored = storeLogin(place, mode, { baseUrl, key, account: account?.id }, keyring);
    const left = [stored, ...forgotten].flatMap((each) => each.left ?? []);
    if (version !== undefined || readProfile(place).base_url !== undefined) {
      const pinned = version === undefined ? {} : { service_version: version };
      changeProfile(place, { base_url: undefined, ...pinned }); // its keys tell the service again
    }
    if (isFirst && readContextInUse(directories).name !== context) useContext(directories, context);
    this.noteReplaced(place, replaced, login);
    this.noteStored(place, { ...login, isNamed, current }, stored.inFile);
    if (account && isRestricted(account)) {
      this.note(`This key may not do everything, but: ${escapeControls(formatGrant(account))}.`);
    }
    for (const { account: entry } of left) {
      this.note(
        `The keyring still holds the key of an earlier login: remove the entry “${entry}” yourself.`,
      );
    }
  }

  /** Errors: the user says no, or cannot be asked. */
  private async askToReplace(
    what: string,
    flags: { replace: boolean; "no-input"?: boolean },
  ): Promise<void> {
    if (flags.replace) return;
    if (!this.canPrompt(flags)) {
      throw new CommandError(
        "conflict",
        `${what} Nothing was stored.`,
        "Use --replace, or store the key in a context of its own: payments login --context NAME.",
      );
    }
    const prompter = await this.openPrompter();
    if (!(await prompter.confirm(`${what} Replace it?`)))
      throw canceled("Canceled; nothing was stored.");
  }

  private noteReplaced(
    { context }: Place,
    { elsewhere, isQuestion }: ReplacedLogins,
    { baseUrl, mode }: NewLogin,
  ): void {
    const forgotten = elsewhere.filter((other) => other.mode !== mode);
    const before = elsewhere.find((other) => other.mode === mode);
    const warning = this.errorStyle.yellow.bold("Warning:");
    if (before && isQuestion) {
      const commands = context === defaultContext ? "commands" : `commands in ${context}`;
      this.note(
        `${warning} this replaced the ${mode} key …${before.key.last4} for ${before.baseUrl}: in ${mode} mode ${commands} use ${baseUrl} now. To go back, log in to ${before.baseUrl} again.`,
      );
    }
    for (const { mode: other, key, baseUrl: url } of forgotten) {
      this.note(`${warning} the ${other} key …${key.last4} for ${url} was deleted with it.`);
    }
  }

  private noteStored(
    place: Place & { context: string },
    { baseUrl, mode, key, isNamed, current }: NewLogin & { isNamed: boolean; current: Mode },
    inFile: { file: string; since: string } | undefined,
  ): void {
    const { context } = place;
    const where = inFile
      ? `${inFile.file}, which only you can read, since ${inFile.since}`
      : "the keyring";
    const name = isNamed || context !== defaultContext ? `${context}, ` : "";
    this.note(
      `Logged in to ${name}${baseUrl} with the ${mode} key …${key.slice(-4)}, stored in ${where}.`,
    );
    const { env } = process;
    const used = findNamedContext(undefined, env)?.name ?? readContextInUse(place).name;
    if (used !== context)
      this.note(`Commands use ${used}; switch with payments context use ${context}.`);
    if (current === mode) return;
    if (used === context)
      this.note(`Commands use ${current} mode; switch with ${describeSwitch(mode)}.`);
    else
      this.note(
        `In ${context} they use ${current} mode; switch with payments mode ${mode} --context ${context}.`,
      );
  }
}

/**
 * The context that a login is stored in. Errors: a name that none can have; the embedded service is in use, and which
 * other one is meant is not clear.
 */
function chooseContext(
  flag: string | undefined,
  env: Environment,
  directories: Directories,
): { name: string; isNamed: boolean } {
  const named = findNamedContext(flag, env);
  if (named) {
    if (named.name === embedded) throw usageError("The embedded service needs no login.");
    assertContextName(named.name);
    return { name: named.name, isNamed: true };
  }
  const inUse = readContextInUse(directories);
  assertContext(directories, inUse);
  if (inUse.name !== embedded) return { name: inUse.name, isNamed: false };
  const names = listContextNames(directories);
  if (names.length === 0) return { name: defaultContext, isNamed: false };
  throw usageError(
    `The embedded service is in use, which needs no login. There is ${new Intl.ListFormat("en-GB").format(names)}.`,
    "Name the context to log in to, an old or a new one, with --context.",
  );
}

type Account = Awaited<ReturnType<typeof findAccount>>;

/**
 * Whether a key that is replaced is of another account. One of before accounts were stored is asked; where it is refused,
 * it counts as another one's, and as of the same where the service does not say.
 */
async function isOfOther(
  id: string,
  { account, key }: { account: string | undefined; key: UsableKey },
  askForAccount: (key: UsableKey) => Promise<Account>,
): Promise<boolean> {
  if (account !== undefined) return account !== id;
  const asked = await askForAccount(key).catch((error: unknown) => {
    const isRefused = error instanceof ApiError && [401, 403].includes(error.status);
    if (isRefused || error instanceof CommandError) return undefined; // the keyring does not return the key
    throw error;
  });
  return asked !== null && asked?.id !== id;
}

/** The settings of a login: nothing of them is stored yet. */
function toSettings(
  directories: Directories,
  { baseUrl, mode, key }: Pick<Settings, "baseUrl" | "mode" | "key">,
): Settings {
  return {
    directories,
    mode,
    baseUrl,
    key,
    serviceVersion: undefined,
    database: "",
    isDatabaseNamed: false,
    account: undefined,
    context: undefined,
    hasSeveralContexts: false,
    sources: {
      context: "default",
      mode: "default",
      base_url: "default",
      service_version: "default",
    },
  };
}

/** How commands get another mode: the environment decides before what `payments mode` has stored. */
function describeSwitch(mode: Mode): string {
  const { PAYMENTS_MODE: named, PAYMENTS_API_KEY: key } = process.env;
  if (named !== undefined) return `PAYMENTS_MODE=${mode}`;
  return key === undefined ? `payments mode ${mode}` : `--mode ${mode}, without PAYMENTS_API_KEY`;
}

function noSandboxError(baseUrl: string): CommandError {
  return new CommandError(
    "key",
    `The service at ${baseUrl} does not accept the key of a sandbox: it is none. Nothing was stored.`,
    "Start one with payments sandbox, or log in to this service with a key of its own.",
  );
}

async function readBaseUrl(
  flag: string | undefined,
  defaultUrl: string | undefined,
  prompter: Prompter | undefined,
): Promise<string> {
  const given = flag ?? process.env["PAYMENTS_BASE_URL"] ?? defaultUrl;
  const typed = given ?? (await prompter?.text("Base URL of the service:"));
  if (typed === undefined) {
    const hint =
      "payments login --base-url http://127.0.0.1:8402; for a sandbox, payments login --sandbox.";
    throw usageError("Missing --base-url: the address of the service.", hint);
  }
  const baseUrl = parseBaseUrl(typed);
  if (baseUrl === embedded) throw usageError("The embedded service needs no login.");
  return baseUrl;
}

async function readKey(prompter: Prompter | undefined): Promise<string> {
  if (prompter) return checkKey((await prompter.hidden("API key:")).trim(), "the prompt");
  const noKey = "No key arrived on standard input.";
  if (process.stdin.isTTY) throw usageError(noKey);
  const key = (await readInput("-", "Standard input")).trim();
  if (key === "") throw usageError(noKey, "payments login … < key.txt");
  return checkKey(key, "standard input");
}

/** The key's mode, which must be the one that `--mode` names. */
function checkMode(key: string, named: string | undefined): Mode {
  const mode = parseKeyMode(key) ?? "test";
  if (named === undefined || named === mode) return mode;
  throw new CommandError(
    "key",
    `--mode says ${named}, but the key is a ${mode} key. Nothing was stored.`,
  );
}
