import * as Args from "@oclif/core/args";
import { BaseCommand } from "../program/base-command.ts";
import { hasLogin, storeMode } from "../config/profile.ts";
import { resolveDirectories } from "../config/blank-settings.ts";
import { resolveMode } from "../config/resolve-settings.ts";
import { modes } from "../../contract/field-values.ts";
import { outputFlags } from "../flags/flags.ts";
import type { CommandFacts } from "../output/command-facts.ts";

export default class ModeCommand extends BaseCommand {
  static override summary = "Show, or switch, the mode that commands use.";
  static override examples = ["payments mode", "payments mode live"];
  static override args = {
    mode: Args.option({
      description: "The mode to use from now on.",
      options: modes,
      ignoreStdin: true,
    })(),
  };
  static override flags = { ...outputFlags };
  static facts: CommandFacts = {
    writes: "settings",
    repeatable: "always",
    exits: { unavailable: "the settings cannot be read or stored" },
    output: { object: null, fields: ["mode"] },
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ModeCommand);
    const output = this.parseOutput(flags);
    const directories = resolveDirectories(process.env);
    let mode = resolveMode(process.env); // raises an error for an invalid one before anything is stored
    if (args.mode) {
      storeMode(directories, args.mode);
      mode = resolveMode(process.env);
    }
    const done = args.mode && `The mode was switched to ${args.mode}.`;
    await this.show({ value: { mode }, text: () => mode }, output, done);
    if (!args.mode) return;
    const isElsewhere = modes.some((other) => hasLogin(directories, other));
    if (args.mode !== mode) {
      this.note(`Stored ${args.mode}, but the environment sets ${mode} here.`, output);
    } else if (isElsewhere && !hasLogin(directories, mode) && !process.env["PAYMENTS_BASE_URL"]) {
      // A user who is logged in to a service in the other mode may expect that service.
      this.note(`No ${mode} key is stored: commands now use the embedded service.`, output);
    }
  }
}
