import * as Args from "@oclif/core/args";
import { Command } from "@oclif/core/command";
import { switchFlag } from "../flags/flags.ts";
import { showHelp, showHelpAsJson } from "../help/show-help.ts";
import type { CommandFacts } from "../output/command-facts.ts";

export default class HelpCommand extends Command {
  static override summary = "Show how a command is used.";
  static override examples = [
    "payments help",
    "payments help refund",
    "payments help keys create",
    "payments help exit-codes",
    "payments help agents",
    "payments help refund --json | jq '.commands[0].exit_codes'",
  ];
  static override args = {
    command: Args.string({
      description: "A command, or one of exit-codes, environment and agents.",
      multiple: true,
      ignoreStdin: true,
    }),
  };
  static override flags = {
    json: switchFlag("Print JSON, for programs: flags, what is written, exit codes, output."),
  };
  static facts: CommandFacts = {
    writes: "nothing",
    repeatable: "always",
    exits: {},
    output: {
      object: null,
      fields: ["schema", "name", "version", "commands", "exit_codes", "environment"],
    },
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(HelpCommand);
    // An id as the help prints it, "keys create", may be one argument.
    const words = (args.command ?? []).flatMap((typed) => typed.split(" "));
    if (flags.json) await showHelpAsJson(words);
    else showHelp(["help", ...words], this.config.root);
  }
}
