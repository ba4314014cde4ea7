import * as Args from "@oclif/core/args";
import { Command } from "@oclif/core/command";
import { completionScripts } from "../help/completion.ts";
import { parseTyped } from "../flags/checked-values.ts";
import { describeReading } from "../output/command-facts.ts";

const shells = ["bash", "zsh", "fish"] as const;

export default class Completion extends Command {
  static override summary = "Print a script that completes commands in a shell.";
  static override description = [
    "The script completes commands, flags and their values when you press TAB. Have your shell read it at its start:",
    "bash (4 or later), in ~/.bashrc:\n  source <(payments completion bash)",
    "zsh, in ~/.zshrc after compinit:\n  source <(payments completion zsh)",
    'or, for a faster start, once as a file in a folder of $fpath:\n  payments completion zsh > "${fpath[1]}/_payments"',
    "fish, in ~/.config/fish/config.fish:\n  payments completion fish | source",
  ].join("\n\n");
  static override examples = [
    "payments completion bash",
    "payments completion zsh > _payments",
    "payments completion fish > payments.fish",
  ];
  static override args = {
    shell: Args.option({ options: shells })({
      description: "The shell that reads the script.",
      required: true,
      ignoreStdin: true,
    }),
  };
  static facts = describeReading(null, {});

  async run(): Promise<void> {
    const { args } = await parseTyped(Completion, async (open) => this.parse(open));
    process.stdout.write(completionScripts[args.shell]);
  }
}
