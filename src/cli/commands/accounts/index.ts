import { Command } from "@oclif/core/command";
import { showHelp } from "../../help/show-help.ts";

export default class Accounts extends Command {
  static override summary = "Create, list and rename accounts, one for each merchant.";
  static override description =
    "For an operator: these commands work on the service's own database, without a running service. What belongs to one account does not exist for another.";
  static override examples = [
    '<%= config.bin %> accounts create --name "Books & Co"',
    "<%= config.bin %> accounts list",
  ];

  async run(): Promise<void> {
    await this.parse(Accounts);
    showHelp(["accounts"]);
  }
}
