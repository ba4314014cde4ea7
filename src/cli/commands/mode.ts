import * as Args from "@oclif/core/args";
import { BaseCommand } from "../base-command.ts";
import { storeMode } from "../settings/profile.ts";
import { currentMode } from "../settings/settings.ts";
import { modes } from "../../contract/key.ts";
import { outputFlags } from "../flags.ts";

export default class ModeCommand extends BaseCommand {
  static override summary = "Show, or switch, the mode that commands use.";
  static override examples = ["<%= config.bin %> mode", "<%= config.bin %> mode live"];
  static override args = {
    mode: Args.option({
      description: "The mode to use from now on.",
      options: modes,
      ignoreStdin: true,
    })(),
  };
  static override flags = { ...outputFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ModeCommand);
    const output = this.outputOf(flags);
    if (args.mode) storeMode(this.directories(), args.mode);
    const mode = currentMode(process.env);
    await this.show({ value: { mode }, text: () => mode }, output);
    if (args.mode && args.mode !== mode) {
      this.note(`Stored ${args.mode}, but the environment sets ${mode} here.`, output);
    }
  }
}
