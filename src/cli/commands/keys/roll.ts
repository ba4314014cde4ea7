import { CommandError } from "../../output/command-error.ts";
import {
  accountFlag,
  databaseFlag,
  outputFlags,
  requiredArg,
  textFlag,
} from "../../flags/flags.ts";
import { getCommandActor, withAccount } from "../../config/service-database.ts";
import { parseDuration } from "../../flags/waiting.ts";
import { formatLocalTime } from "../../output/style.ts";
import { issuedKeyView } from "../../output/account-views.ts";
import { BaseCommand } from "../../program/base-command.ts";
import { type CommandFacts, databaseExits } from "../../output/command-facts.ts";
import { issuedKeyFields } from "../../../contract/administration.ts";

/** A key that still works after a year has not been replaced. */
const maxOverlap = "365d";

export default class KeysRoll extends BaseCommand {
  static override summary = "Replace a key. The old one still works for an overlap.";
  static override examples = ["payments keys roll key_0199c5a8-7f3e-7abc-9def-0123456789ab"];
  static override args = {
    id: requiredArg("The key's id."),
  };
  static override flags = {
    overlap: textFlag("How long the old key still works.", "<duration>", { default: "24h" }),
    ...accountFlag,
    ...databaseFlag,
    ...outputFlags,
  };
  static facts: CommandFacts = {
    writes: "database",
    repeatable: "never",
    exits: { ...databaseExits, not_found: "there is no such active key, or account" },
    output: { object: "api_key", fields: issuedKeyFields },
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(KeysRoll);
    const output = this.parseOutput(flags);
    const overlapMs = parseDuration(flags.overlap, "--overlap", maxOverlap);
    const { id } = args;
    await withAccount(flags, async (service, account) => {
      const successor = await service.rollKey({ account, id }, overlapMs, getCommandActor());
      if (!successor) {
        throw new CommandError(
          "not_found",
          "There is no active key with this id.",
          "See payments keys list.",
        );
      }
      // The new key is shown before anything else can fail: it cannot be shown again.
      const done = `The key ${successor.id} was created, but could not be shown. Revoke it.`;
      await this.showOne(issuedKeyView, successor, output, done);
      if (successor.expires_at !== null) {
        const end = formatLocalTime(successor.expires_at);
        this.note(`The new key ends when the old one would have: ${end}.`, output);
      }
      const old = (await service.listKeys(account)).find((key) => key.id === id);
      const endsAt = old?.expires_at ?? null;
      if (endsAt !== null) this.note(`The old key works until ${formatLocalTime(endsAt)}.`, output);
    });
  }
}
