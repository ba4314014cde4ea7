import { Command } from "@oclif/core/command";
import { showHelp } from "../../help/show-help.ts";

export default class Operators extends Command {
  static override summary = "Invite, list and remove those who work in the dashboard.";
  static override description =
    "These commands work on the service's own database, without a running service. A viewer looks, support refunds too, an admin does everything in their accounts.";
  static override examples = [
    "<%= config.bin %> operators invite --name Ada --role admin",
    "<%= config.bin %> operators list",
  ];

  async run(): Promise<void> {
    await this.parse(Operators);
    showHelp(["operators"]);
  }
}
