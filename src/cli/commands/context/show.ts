import * as Args from "@oclif/core/args";
import { resolveDirectories } from "../../config/blank-settings.ts";
import { describeContext } from "../../config/contexts.ts";
import { outputFlags } from "../../flags/flags.ts";
import { describeReading } from "../../output/command-facts.ts";
import { BaseCommand } from "../../program/base-command.ts";
import { contextView, settingsExits } from "./list.ts";

const view = {
  ...contextView,
  fields: [...contextView.fields, "service_version"],
  details: (context: ReturnType<typeof describeContext>) => [
    ...(contextView.details?.(context) ?? []),
    ["API version", context.service_version] as const,
  ],
};

export default class ContextShow extends BaseCommand {
  static override summary = "Show a context, by default the one that commands use.";
  static override description =
    "It reads files alone, so that a shell's prompt can show it: no key, no connection.";
  static override examples = [
    "payments context show",
    "payments context show staging",
    "payments context show --json | jq -r '.name + \" \" + .mode'",
  ];
  static override args = {
    name: Args.string({ description: "The name of the context.", ignoreStdin: true }),
  };
  static override flags = { ...outputFlags };
  static facts = describeReading({ object: null, fields: view.fields }, settingsExits);

  /** Its JSON is printed by main.ts, sooner than this class is loaded. */
  async run(): Promise<void> {
    const { args, flags } = await this.parse(ContextShow);
    const output = this.parseOutput(flags);
    const context = describeContext(resolveDirectories(process.env), process.env, args.name);
    await this.showOne(view, context, output);
  }
}
