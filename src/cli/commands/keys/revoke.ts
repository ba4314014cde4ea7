import { CommandError } from "../../output/command-error.ts";
import { accountFlag, databaseFlag, outputFlags, requiredArg } from "../../flags/flags.ts";
import { getCommandActor, withAccount } from "../../config/service-database.ts";
import { keyView } from "../../output/account-views.ts";
import { BaseCommand } from "../../program/base-command.ts";
import { type CommandFacts, databaseExits } from "../../output/command-facts.ts";
import { keyFields } from "../../../contract/administration.ts";

export default class KeysRevoke extends BaseCommand {
  static override summary = "Revoke an API key. Every running service refuses it within a second.";
  static override examples = ["payments keys revoke key_0199c5a8-7f3e-7abc-9def-0123456789ab"];
  static override args = {
    id: requiredArg("The key's id."),
  };
  static override flags = { ...accountFlag, ...databaseFlag, ...outputFlags };
  static facts: CommandFacts = {
    writes: "database",
    repeatable: "always",
    exits: { ...databaseExits, not_found: "there is no such key, or account" },
    output: { object: "api_key", fields: keyFields },
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(KeysRevoke);
    const output = this.parseOutput(flags);
    const key = await withAccount(flags, async (service, account) =>
      service.revokeKey({ account, id: args.id }, getCommandActor()),
    );
    if (!key) {
      throw new CommandError(
        "not_found",
        "There is no key with this id.",
        "See payments keys list.",
      );
    }
    await this.showOne(keyView, key, output);
  }
}
