import { Command } from "@oclif/core/command";
import { showHelp } from "../../help/show-help.ts";

export default class Network extends Command {
  static override summary = "Try the adapter of a card network.";
  static override description =
    "For an operator whose payments are to move money: an adapter stands between the service and the card network.";
  static override examples = ["<%= config.bin %> network check https://adapter.example.com"];

  async run(): Promise<void> {
    await this.parse(Network);
    showHelp(["network"]);
  }
}
