import { accountNameFlag, databaseFlag, outputFlags, textFlag } from "../../flags/flags.ts";
import { checkAccountName, checkVersion } from "../../flags/checked-values.ts";
import { getCommandActor, withService } from "../../config/service-database.ts";
import { accountView } from "../../output/account-views.ts";
import { BaseCommand } from "../../program/base-command.ts";
import { type CommandFacts, databaseExits } from "../../output/command-facts.ts";
import { accountFields } from "../../../contract/administration.ts";

export default class AccountsCreate extends BaseCommand {
  static override summary = "Create an account for a merchant.";
  static override examples = ['payments accounts create --name "Books & Co"'];
  static override flags = {
    ...accountNameFlag,
    "default-version": textFlag(
      "The API version of requests that pin none. Default: the newest.",
      "<date>",
    ),
    ...databaseFlag,
    ...outputFlags,
  };
  static facts: CommandFacts = {
    writes: "database",
    repeatable: "never",
    exits: databaseExits,
    output: { object: "account", fields: accountFields },
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(AccountsCreate);
    const output = this.parseOutput(flags);
    const date = flags["default-version"];
    const request = {
      name: checkAccountName(flags.name),
      ...(date !== undefined && { defaultVersion: checkVersion(date, "--default-version") }),
    };
    const account = await withService(
      flags,
      async (service) => service.createAccount(request, getCommandActor()),
      { createsDatabase: true },
    );
    await this.showOne(accountView, account, output, `The account ${account.id} was created.`);
  }
}
