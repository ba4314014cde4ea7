import { maxAdvance } from "../../../contract/field-values.ts";
import { formatClock, formatWorkDone } from "../../output/account-views.ts";
import { sandboxFlags, textFlag } from "../../flags/flags.ts";
import { parseDuration } from "../../flags/waiting.ts";
import { parseFutureTime } from "../../flags/list-flags.ts";
import { BaseCommand } from "../../program/base-command.ts";
import { withSandbox } from "../../program/connection.ts";
import { type CommandFacts, readExits } from "../../output/command-facts.ts";

export default class SandboxClock extends BaseCommand {
  static override summary = "Show the time of a sandbox, or move it on.";
  static override description =
    "What comes due on the way is done, each thing at its own time, before the command ends: payments are settled, pages expire, webhooks are delivered and retried, and what has expired is forgotten.";
  static override examples = [
    "payments sandbox clock",
    "payments sandbox clock --advance 25h",
    "payments sandbox clock --to 2027-02-01T09:00 --json",
  ];
  static override flags = {
    advance: textFlag(`Move the time on by this, at most ${maxAdvance}.`, "<duration>", {
      exclusive: ["to"],
    }),
    to: textFlag("Move the time on to this: Unix seconds, or a date or time.", "<time>"),
    ...sandboxFlags("10m"),
  };
  static facts: CommandFacts = {
    writes: "payments",
    repeatable: "never",
    exits: readExits,
    output: {
      object: null,
      fields: [
        "now",
        "mode",
        "did.settled",
        "did.expired",
        "did.delivered",
        "did.delivery_attempts",
        "did.purged",
      ],
    },
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(SandboxClock);
    const output = this.parseOutput(flags);
    const { advance, to } = flags;
    if (advance !== undefined) parseDuration(advance, "--advance", maxAdvance);
    const time = to === undefined ? undefined : parseFutureTime(to, "--to");
    if (advance === undefined && time === undefined) {
      const clock = await withSandbox(this, flags, async (sandbox) => sandbox.clock());
      await this.show({ value: clock, text: () => formatClock(clock) }, output);
      return;
    }
    const moved = await withSandbox(this, flags, async (sandbox) =>
      time === undefined ? sandbox.advance(advance ?? "") : sandbox.advanceTo(time),
    );
    const text = () => `${formatClock(moved)} ${formatWorkDone(moved.did)}`;
    await this.show({ value: moved, text }, output);
  }
}
