import * as Flags from "@oclif/core/flags";
import { BaseCommand } from "../base/base-command.ts";
import { parseKeyMode, type Mode } from "../../contract/key.ts";
import { openKeyring } from "../config/keyring.ts";
import { storeLogin, type LeftoverKey } from "../config/profile.ts";
import {
  checkKey,
  resolveMode,
  resolveDatabase,
  embedded,
  parseBaseUrl,
  type Settings,
} from "../config/resolve-settings.ts";
import type { ConnectionFlags } from "../config/connect.ts";
import { CommandError, usageError } from "../errors/command-error.ts";
import { connectionFlags } from "../parse/flags.ts";
import { readInput } from "../parse/read-input.ts";
import { assertEncrypted } from "../config/transport-security.ts";

export default class Login extends BaseCommand {
  static override summary = "Store an API key for its mode.";
  static override description =
    "The key is read from a hidden prompt, or from standard input when that is not a terminal. The service is asked whether it accepts the key before anything is stored.";
  static override examples = [
    "<%= config.bin %> login --base-url https://payments.example.com",
    "<%= config.bin %> login --base-url http://127.0.0.1:8402 < key.txt",
  ];
  static override flags = {
    mode: Flags.string({
      summary: "Fail unless the key is of this mode.",
      options: ["test", "live"],
    }),
    "base-url": Flags.string({
      summary: "The service to log in to.",
      helpValue: "<url>",
      helpGroup: "CONNECTION",
    }),
    "allow-http": connectionFlags["allow-http"],
    "max-retries": connectionFlags["max-retries"],
    "request-timeout": connectionFlags["request-timeout"],
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Login);
    const asks = this.canAsk(flags);
    const baseUrl = await this.baseUrlOf(flags, asks);
    assertEncrypted(baseUrl, flags);
    const key = await this.readKey(asks);
    const mode = modeIn(key, flags.mode);
    this.checkWay({ baseUrl, mode }, flags);

    await this.checkAccepted(flags, { mode, baseUrl, key });
    const keyring = openKeyring(process.env);
    const storing = storeLogin(this.directories(), mode, { baseUrl, key }, keyring);

    const { inFile, left } = storing;
    const place = inFile
      ? `${inFile.file}, which only you can read, since ${inFile.since}`
      : "the keyring";
    this.note(`Logged in to ${baseUrl} with the ${mode} key …${key.slice(-4)}, kept in ${place}.`);
    if (left) this.note(leftText(left));
    const current = resolveMode(process.env);
    if (current !== mode) {
      this.note(`Commands use ${current} mode; switch with payments mode ${mode}.`);
    }
  }

  /** Asks the service whether the key is good: only then is it stored. */
  private async checkAccepted(
    flags: ConnectionFlags,
    { mode, baseUrl, key }: { mode: Mode; baseUrl: string; key: string },
  ): Promise<void> {
    const settings: Settings = {
      directories: this.directories(),
      mode,
      baseUrl,
      key: { last4: key.slice(-4), source: "login", value: () => key },
      serviceVersion: undefined,
      database: resolveDatabase(undefined, process.env),
      isDatabaseNamed: false,
      account: undefined,
    };
    await this.withClient(flags, settings, async ({ payments }) => payments.list({ limit: 1 }));
  }

  private async baseUrlOf(flags: { "base-url"?: string | undefined }, asks: boolean) {
    const given = flags["base-url"] ?? process.env["PAYMENTS_BASE_URL"];
    if (given === undefined && !asks)
      throw usageError("Missing --base-url: the address of the service.");
    const baseUrl = parseBaseUrl(
      given ?? (await (await this.asker()).text("Base URL of the service:")),
    );
    if (baseUrl === embedded) throw usageError("The embedded service needs no login.");
    return baseUrl;
  }

  private async readKey(asks: boolean): Promise<string> {
    if (asks) {
      const typed = await (await this.asker()).hidden("API key:");
      return checkKey(typed.trim(), "the prompt");
    }
    if (process.stdin.isTTY) throw usageError("No key arrived on standard input.");
    const key = (await readInput("-", "Standard input")).trim();
    if (key === "")
      throw usageError("No key arrived on standard input.", "payments login … < key.txt");
    return checkKey(key, "standard input");
  }
}

function leftText({ account }: LeftoverKey): string {
  return `The keyring still holds what an earlier login kept there: remove the entry “${account}” yourself.`;
}

function modeIn(key: string, asked: string | undefined): Mode {
  const mode = parseKeyMode(key) ?? "test";
  if (asked === undefined || asked === mode) return mode;
  throw new CommandError(
    "key",
    `--mode says ${asked}, but the key is a ${mode} key. Nothing was stored.`,
  );
}
