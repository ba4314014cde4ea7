import { databaseFlag, oneAccountFlag, outputFlags } from "../../flags/flags.ts";
import { keyView } from "../../output/account-views.ts";
import { BaseCommand } from "../../program/base-command.ts";
import { withAccountFilter } from "../../config/service-database.ts";
import { databaseExits, describeReading, listOutput } from "../../output/command-facts.ts";
import { keyFields } from "../../../contract/administration.ts";

export default class KeysList extends BaseCommand {
  static override summary = "List the API keys, also those that no longer work.";
  static override examples = ["payments keys list"];
  static override flags = { ...oneAccountFlag, ...databaseFlag, ...outputFlags };
  static facts = describeReading(listOutput(keyFields), databaseExits);

  async run(): Promise<void> {
    const { flags } = await this.parse(KeysList);
    const output = this.parseOutput(flags);
    const data = await withAccountFilter(flags, async (service, account) =>
      service.listKeys(account),
    );
    const none = "No keys. Make one with payments keys create.";
    await this.showMany(keyView, { object: "list", data }, output, none);
  }
}
