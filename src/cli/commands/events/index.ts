import { Command } from "@oclif/core/command";
import { showHelp } from "../../help/show-help.ts";

export default class Events extends Command {
  static override summary = "List what has happened to payments, and send events again.";
  static override description =
    "An event says that a payment has come to be in a state. Events are kept for 30 days, unless the operator has chosen otherwise.";
  static override examples = [
    "<%= config.bin %> events list --type payment.failed",
    "<%= config.bin %> events get evt_0199c5a8-7f3e-7abc-9def-0123456789ab",
  ];

  async run(): Promise<void> {
    await this.parse(Events);
    showHelp(["events"]);
  }
}
