import * as Args from "@oclif/core/args";
import { BaseCommand } from "../program/base-command.ts";
import { hasSeveralContexts } from "../config/contexts.ts";
import { hasLogin, storeMode } from "../config/profile.ts";
import { resolveMode, resolvePlace } from "../config/resolve-settings.ts";
import { modes } from "../../contract/field-values.ts";
import { contextFlag, outputFlags } from "../flags/flags.ts";
import type { CommandFacts } from "../output/command-facts.ts";

export default class ModeCommand extends BaseCommand {
  static override summary = "Show, or switch, the mode that commands use.";
  static override examples = [
    "payments mode",
    "payments mode live",
    "payments mode live --context staging",
  ];
  static override args = {
    mode: Args.option({
      description: "The mode to use from now on.",
      options: modes,
      ignoreStdin: true,
    })(),
  };
  static override flags = { ...contextFlag, ...outputFlags };
  static facts: CommandFacts = {
    writes: "settings",
    repeatable: "always",
    exits: { unavailable: "the settings cannot be read or stored" },
    output: { object: null, fields: ["mode"] },
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ModeCommand);
    const output = this.parseOutput(flags);
    const { env } = process;
    const place = resolvePlace(flags.context, env);
    let mode = resolveMode(env, place); // raises an error for an invalid one before anything is stored
    if (args.mode) {
      storeMode(place, args.mode);
      mode = resolveMode(env, place);
    }
    const done = args.mode && `The mode was switched to ${args.mode}.`;
    await this.show({ value: { mode }, text: () => mode }, output, done);
    if (!args.mode) return;
    const { context } = place;
    const hasSeveral = hasSeveralContexts(place);
    const isElsewhere = modes.some((other) => hasLogin(place, other));
    if (args.mode !== mode) {
      this.note(`Stored ${args.mode}, but the environment sets ${mode} here.`, output);
    } else if (isElsewhere && !hasLogin(place, mode) && !env["PAYMENTS_BASE_URL"]) {
      // A user who is logged in to a service in the other mode may expect that service.
      const commands = hasSeveral
        ? "are refused until there is one"
        : "now use the embedded service";
      const key = hasSeveral ? `${mode} key of ${context}` : `${mode} key`;
      this.note(`No ${key} is stored: commands ${commands}.`, output);
    } else if (hasSeveral) {
      this.note(`Commands in ${context} use ${mode} mode now.`, output);
    }
  }
}
