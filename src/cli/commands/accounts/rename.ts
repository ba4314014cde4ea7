import { accountNameFlag, databaseFlag, outputFlags, requiredArg } from "../../flags/flags.ts";
import { checkAccountName } from "../../flags/checked-values.ts";
import { accountNotFound, getCommandActor, withService } from "../../config/service-database.ts";
import { accountView } from "../../output/account-views.ts";
import { BaseCommand } from "../../program/base-command.ts";
import { type CommandFacts, databaseExits } from "../../output/command-facts.ts";
import { accountFields } from "../../../contract/administration.ts";

export default class AccountsRename extends BaseCommand {
  static override summary = "Give an account another name. Customers read it on payment pages.";
  static override examples = [
    'payments accounts rename acct_0199c5a8-7f3e-7abc-9def-0123456789ab --name "Books & Co"',
  ];
  static override args = {
    id: requiredArg("The account's id."),
  };
  static override flags = { ...accountNameFlag, ...databaseFlag, ...outputFlags };
  static facts: CommandFacts = {
    writes: "database",
    repeatable: "always",
    exits: databaseExits,
    output: { object: "account", fields: accountFields },
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AccountsRename);
    const output = this.parseOutput(flags);
    const name = checkAccountName(flags.name);
    const account = await withService(flags, async (service) =>
      service.renameAccount(args.id, name, getCommandActor()),
    );
    await this.showOne(
      accountView,
      account ?? accountNotFound(),
      output,
      "The account was renamed.",
    );
  }
}
