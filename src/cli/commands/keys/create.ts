import * as Flags from "@oclif/core/flags";
import { modes } from "../../../contract/field-values.ts";
import { parseDurationText } from "../../../runtime/time.ts";
import {
  accountFlag,
  databaseFlag,
  grantFlags,
  outputFlags,
  parsePermissions,
  textFlag,
} from "../../flags/flags.ts";
import { checkName } from "../../flags/checked-values.ts";
import { parseFutureTime } from "../../flags/list-flags.ts";
import { usageError } from "../../output/command-error.ts";
import { getCommandActor, withAccount } from "../../config/service-database.ts";
import { issuedKeyView } from "../../output/account-views.ts";
import { BaseCommand } from "../../program/base-command.ts";
import { type CommandFacts, databaseExits } from "../../output/command-facts.ts";
import { findExpiryMistake, issuedKeyFields } from "../../../contract/administration.ts";

export default class KeysCreate extends BaseCommand {
  static override summary = "Create an API key. It is shown only once.";
  static override examples = [
    "payments keys create --mode test --name ci",
    "payments keys create --mode test --name ci --json | jq -r .key",
    "payments keys create --mode live --name support --can read,refund --max-refund 5000 --expires 30d",
  ];
  static override flags = {
    mode: Flags.option({ summary: "Test or live data.", options: modes, required: true })(),
    name: textFlag("What the key is for.", "<name>", { required: true }),
    ...grantFlags,
    expires: textFlag(
      "When the key ends: after a duration such as 30d, or at a date or time. Default: never.",
      "<time>",
    ),
    ...accountFlag,
    ...databaseFlag,
    ...outputFlags,
  };
  static facts: CommandFacts = {
    writes: "database",
    repeatable: "never",
    exits: databaseExits,
    output: { object: "api_key", fields: issuedKeyFields },
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(KeysCreate);
    const output = this.parseOutput(flags);
    const { mode, can, "max-refund": maxRefund = null, expires } = flags;
    const name = checkName(flags.name, "ci");
    const permissions = parsePermissions(can);
    const expiresAt = expires === undefined ? null : parseExpiry(expires, Date.now());
    const grant = { ...(permissions && { permissions }), max_refund: maxRefund };
    const key = await withAccount(flags, async (service, account) =>
      service.createKey(
        { account, mode, name, ...grant, expires_at: expiresAt },
        getCommandActor(),
      ),
    );
    const done = `The key ${key.id} was created, but could not be shown. Revoke it.`;
    await this.showOne(issuedKeyView, key, output, done);
    this.note("Store the key now: it is not shown again.", output);
  }
}

/** Parses when a key ends, after a duration or at a time, into Unix seconds. */
function parseExpiry(text: string, nowMs: number): number {
  const lifetimeMs = parseDurationText(text);
  const endMs =
    lifetimeMs === undefined ? parseFutureTime(text, "--expires") * 1000 : nowMs + lifetimeMs;
  if (endMs <= nowMs) throw usageError("--expires must be a time to come. Nothing was created.");
  const expiresAt = Math.ceil(endMs / 1000);
  const mistake = findExpiryMistake(expiresAt);
  if (mistake === undefined) return expiresAt;
  throw usageError(`--expires ${mistake}. Nothing was created.`);
}
