import { Command } from "@oclif/core/command";
import { showHelp } from "../../help/show-help.ts";

export default class Webhooks extends Command {
  static override summary = "Manage the endpoints that events are sent to.";
  static override examples = [
    "<%= config.bin %> webhooks create --url https://shop.example/hooks",
    "<%= config.bin %> webhooks list",
  ];

  async run(): Promise<void> {
    await this.parse(Webhooks);
    showHelp(["webhooks"]);
  }
}
