import * as Flags from "@oclif/core/flags";
import { modes } from "../../../contract/field-values.ts";
import { accountFlag, databaseFlag, outputFlags, textFlag } from "../../flags/flags.ts";
import { checkName } from "../../flags/checked-values.ts";
import { getCommandActor, withAccount } from "../../config/service-database.ts";
import { issuedKeyView } from "../../output/account-views.ts";
import { BaseCommand } from "../../program/base-command.ts";
import { type CommandFacts, databaseExits } from "../../output/command-facts.ts";
import { issuedKeyFields } from "../../../contract/administration.ts";

export default class KeysCreate extends BaseCommand {
  static override summary = "Create an API key. It is shown only once.";
  static override examples = [
    "payments keys create --mode test --name ci",
    "payments keys create --mode test --name ci --json | jq -r .key",
  ];
  static override flags = {
    mode: Flags.option({ summary: "Test or live data.", options: modes, required: true })(),
    name: textFlag("What the key is for.", "<name>", { required: true }),
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
    const { mode } = flags;
    const name = checkName(flags.name, "ci");
    const key = await withAccount(flags, async (service, account) =>
      service.createKey({ account, mode, name }, getCommandActor()),
    );
    const done = `The key ${key.id} was created, but could not be shown. Revoke it.`;
    await this.showOne(issuedKeyView, key, output, done);
    this.note("Store the key now: it is not shown again.", output);
  }
}
