import { databaseFlag, oneAccountFlag, outputFlags } from "../../flags/flags.ts";
import { operatorView } from "../../output/account-views.ts";
import { BaseCommand } from "../../program/base-command.ts";
import { withAccountFilter } from "../../config/service-database.ts";
import { databaseExits, describeReading, listOutput } from "../../output/command-facts.ts";
import { operatorFields } from "../../../contract/administration.ts";

export default class OperatorsList extends BaseCommand {
  static override summary = "List the operators, without those who were removed.";
  static override examples = ["payments operators list"];
  static override flags = { ...oneAccountFlag, ...databaseFlag, ...outputFlags };
  static facts = describeReading(listOutput(operatorFields), databaseExits);

  async run(): Promise<void> {
    const { flags } = await this.parse(OperatorsList);
    const output = this.parseOutput(flags);
    const data = await withAccountFilter(flags, async (service, account) =>
      service.listOperators(account),
    );
    const none = "No operators. Invite one with payments operators invite.";
    await this.showMany(operatorView, { object: "list", data }, output, none);
  }
}
