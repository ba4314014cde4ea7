import { formatClock } from "../../output/account-views.ts";
import { sandboxFlags } from "../../flags/flags.ts";
import { BaseCommand } from "../../program/base-command.ts";
import { withSandbox } from "../../program/connection.ts";
import { type CommandFacts, readExits } from "../../output/command-facts.ts";

export default class SandboxReset extends BaseCommand {
  static override summary = "Start over: everything is as at the start of the sandbox.";
  static override examples = ["payments sandbox reset"];
  static override flags = sandboxFlags("2m");
  static facts: CommandFacts = {
    writes: "payments",
    repeatable: "always",
    exits: readExits,
    output: { object: null, fields: ["now", "mode"] },
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(SandboxReset);
    const output = this.parseOutput(flags);
    const clock = await withSandbox(this, flags, async (sandbox) => sandbox.reset());
    const text = () => `The sandbox is as at its start. ${formatClock(clock)}`;
    await this.show({ value: clock, text }, output);
  }
}
