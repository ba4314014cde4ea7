import * as Flags from "@oclif/core/flags";
import { BaseCommand } from "../program/base-command.ts";
import { ApiError } from "../../client/errors.ts";
import { isLoopback } from "../../runtime/transport-safety.ts";
import { parseKeyMode } from "../../contract/administration.ts";
import { type Mode, defaultSandboxUrl, sandboxKeys } from "../../contract/field-values.ts";
import { openKeyring } from "../config/keyring.ts";
import { checkKey, storeLogin, toUsableKey } from "../config/profile.ts";
import {
  assertEncrypted,
  embedded,
  parseBaseUrl,
  resolveMode,
} from "../config/resolve-settings.ts";
import { resolveDirectories } from "../config/blank-settings.ts";
import type { Prompter } from "../prompts/prompter.ts";
import { CommandError, usageError } from "../output/command-error.ts";
import { connectionFlags, switchFlag, textFlag } from "../flags/flags.ts";
import { readInput } from "../flags/read-input.ts";
import { checkTransport, withClient } from "../program/connection.ts";
import { type CommandFacts, readExits, promptExits } from "../output/command-facts.ts";

const connection = { helpGroup: "CONNECTION" };

export default class Login extends BaseCommand {
  static override summary = "Store an API key for its mode.";
  static override description =
    "The key is read from a hidden prompt, or from standard input when that is not a terminal. Nothing is stored unless the service accepts the key.";
  static override examples = [
    "payments login --base-url https://payments.example.com",
    "payments login --base-url http://127.0.0.1:8402 < key.txt",
    "payments login --sandbox",
  ];
  static override flags = {
    mode: Flags.string({
      summary: "Fail unless the key is of this mode.",
      options: ["test", "live"],
    }),
    "base-url": textFlag("The service to log in to.", "<url>", connection),
    sandbox: switchFlag(`Log in to a sandbox with its test key. Default: ${defaultSandboxUrl}.`, {
      ...connection,
      exclusive: ["mode"],
    }),
    "allow-http": connectionFlags["allow-http"],
    "max-retries": connectionFlags["max-retries"],
    "request-timeout": connectionFlags["request-timeout"],
  };
  static facts: CommandFacts = {
    writes: "settings",
    repeatable: "always",
    exits: { ...readExits, ...promptExits },
    output: null,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Login);
    const current = resolveMode(process.env); // raises an error for an invalid one before anything is sent
    const isAsked = !flags.sandbox && this.canPrompt(flags);
    const prompter = isAsked ? await this.openPrompter() : undefined;
    const defaultUrl = flags.sandbox ? defaultSandboxUrl : undefined;
    const baseUrl = await readBaseUrl(flags["base-url"], defaultUrl, prompter);
    assertEncrypted(baseUrl, flags);
    const key = flags.sandbox ? sandboxKeys.test : await readKey(prompter);
    const mode = checkMode(key, flags.mode);
    checkTransport(this, { baseUrl, mode }, flags);

    const settings = {
      directories: resolveDirectories(process.env),
      mode,
      baseUrl,
      key: toUsableKey(key, "login"),
      serviceVersion: undefined,
      database: "",
      isDatabaseNamed: false,
      account: undefined,
    };
    // Only a key that the service accepts is stored.
    await withClient(this, flags, settings, async ({ payments }) =>
      payments.list({ limit: 1 }).catch((error: unknown) => {
        const isRefused = error instanceof ApiError && error.status === 401;
        throw flags.sandbox && isRefused ? noSandboxError(baseUrl) : error;
      }),
    );
    const keyring = openKeyring(process.env);
    const { directories } = settings;
    const { inFile, left, replaced } = storeLogin(directories, mode, { baseUrl, key }, keyring);

    // A sandbox takes the place of another service of this machine in the course of a day's work.
    if (replaced && !(flags.sandbox && isLoopback(new URL(replaced.baseUrl).hostname))) {
      this.note(
        `${this.errorStyle.yellow.bold("Warning:")} this replaced the ${mode} key …${replaced.last4} for ${replaced.baseUrl}: in ${mode} mode commands use ${baseUrl} now. To go back, log in to ${replaced.baseUrl} again.`,
      );
    }
    const where = inFile
      ? `${inFile.file}, which only you can read, since ${inFile.since}`
      : "the keyring";
    this.note(
      `Logged in to ${baseUrl} with the ${mode} key …${key.slice(-4)}, stored in ${where}.`,
    );
    if (left) {
      this.note(
        `The keyring still holds the key of an earlier login: remove the entry “${left.account}” yourself.`,
      );
    }
    if (current !== mode) {
      this.note(`Commands use ${current} mode; switch with ${describeSwitch(mode)}.`);
    }
  }
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
