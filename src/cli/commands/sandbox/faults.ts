import { sandboxFaultView } from "../../output/account-views.ts";
import { sandboxFlags, switchFlag } from "../../flags/flags.ts";
import { BaseCommand } from "../../program/base-command.ts";
import { withSandbox } from "../../program/connection.ts";
import { type CommandFacts, readExits, listOutput } from "../../output/command-facts.ts";

export default class SandboxFaults extends BaseCommand {
  static override summary = "List the faults that are set, and how often each has struck.";
  static override examples = ["payments sandbox faults", "payments sandbox faults --clear"];
  static override flags = {
    clear: switchFlag("Clear them all."),
    ...sandboxFlags(),
  };
  static facts: CommandFacts = {
    writes: "settings",
    repeatable: "always",
    exits: readExits,
    output: listOutput(sandboxFaultView.fields),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(SandboxFaults);
    const output = this.parseOutput(flags);
    const faults = await withSandbox(this, flags, async (sandbox) =>
      flags.clear ? sandbox.clearFaults() : sandbox.faults(),
    );
    const note = flags.clear ? "The faults are cleared." : "No fault is set.";
    await this.showMany(sandboxFaultView, faults, output, note);
  }
}
