import { databaseFlag, outputFlags } from "../../flags/flags.ts";
import { accountView } from "../../output/account-views.ts";
import { BaseCommand } from "../../program/base-command.ts";
import { withService } from "../../config/service-database.ts";
import { databaseExits, describeReading, listOutput } from "../../output/command-facts.ts";
import { accountFields } from "../../../contract/administration.ts";

export default class AccountsList extends BaseCommand {
  static override summary = "List the accounts, oldest first.";
  static override examples = ["payments accounts list"];
  static override flags = { ...databaseFlag, ...outputFlags };
  static facts = describeReading(listOutput(accountFields), databaseExits);

  async run(): Promise<void> {
    const { flags } = await this.parse(AccountsList);
    const output = this.parseOutput(flags);
    const data = await withService(flags, async (service) => service.listAccounts());
    await this.showMany(accountView, { object: "list", data }, output);
  }
}
