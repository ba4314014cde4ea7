import { Command } from "@oclif/core/command";
import { showHelp } from "../../help/show-help.ts";

export default class Keys extends Command {
  static override summary = "Create, list, roll and revoke API keys.";
  static override description =
    "For an operator: these commands work on the service's own database, without a running service.";
  static override examples = [
    "<%= config.bin %> keys create --mode test --name ci",
    "<%= config.bin %> keys list",
  ];

  async run(): Promise<void> {
    await this.parse(Keys);
    showHelp(["keys"]);
  }
}
