import * as Args from "@oclif/core/args";
import { Command } from "@oclif/core/command";
import { showHelp } from "../help/show-help.ts";

export default class HelpCommand extends Command {
  static override summary = "Show how a command is used.";
  static override examples = [
    "payments help",
    "payments help refund",
    "payments help keys create",
    "payments help exit-codes",
  ];
  static override args = {
    command: Args.string({
      description: "A command, or one of exit-codes and environment.",
      multiple: true,
      ignoreStdin: true,
    }),
  };

  async run(): Promise<void> {
    const { args } = await this.parse(HelpCommand);
    showHelp(["help", ...(args.command ?? [])]);
  }
}
