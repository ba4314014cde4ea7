import { resolveDirectories } from "../../config/blank-settings.ts";
import { type Context, readContexts } from "../../config/contexts.ts";
import { outputFlags } from "../../flags/flags.ts";
import { type CommandFacts, describeReading, listOutput } from "../../output/command-facts.ts";
import type { View } from "../../output/resource.ts";
import { BaseCommand } from "../../program/base-command.ts";

export const contextView: View<Context> = {
  fields: ["name", "base_url", "modes", "mode", "in_use"],
  details: (context) => [
    ["Name", context.name],
    ["Service", context.base_url],
    ["Keys", context.modes.join(", ") || "none"],
    ["Mode", context.mode],
    ["In use", context.in_use ? "yes" : "no"],
  ],
  columns: [
    { title: "NAME", text: ({ name }) => name },
    { title: "SERVICE", text: ({ base_url: url }) => url ?? "" },
    { title: "KEYS", text: ({ modes }) => modes.join(", ") || "none" },
    { title: "MODE", text: ({ mode }) => mode },
    { title: "IN USE", text: ({ in_use: isInUse }) => (isInUse ? "yes" : "") },
  ],
};

/** How a command ends that reads or changes contexts. */
export const settingsExits = {
  unavailable: "the settings cannot be read or stored",
} as const satisfies CommandFacts["exits"];

export default class ContextList extends BaseCommand {
  static override summary = "List the contexts, and which one commands use.";
  static override examples = ["payments context list", "payments context list --json"];
  static override flags = { ...outputFlags };
  static facts = describeReading(listOutput(contextView.fields), settingsExits);

  async run(): Promise<void> {
    const { flags } = await this.parse(ContextList);
    const output = this.parseOutput(flags);
    const data = readContexts(resolveDirectories(process.env), process.env);
    await this.showMany(contextView, { object: "list", data }, output);
  }
}
