import type { ChalkInstance } from "chalk";
import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { formatMoney } from "../../contract/money.ts";
import type { Payment } from "../../contract/payment.ts";
import { colorStatus, formatLocalTime } from "../output/style.ts";
import { escapeControls } from "../../runtime/text.ts";
import { BaseCommand, type Output } from "../program/base-command.ts";
import { refuseEmbedded, refuseLive } from "../config/resolve-settings.ts";
import { usageError } from "../output/command-error.ts";
import { watchInterruption } from "../output/interruption.ts";
import { loadFixtures } from "../fixtures/read-fixtures.ts";
import {
  createRunName,
  findNeeds,
  runFixtures,
  type MadeObject,
} from "../fixtures/run-fixtures.ts";
import { parseVars } from "../flags/checked-values.ts";
import { connectionFlags, outputFlags, varFlag } from "../flags/flags.ts";
import { checkGrant, noteTarget, resolveSafeSettings, withClient } from "../program/connection.ts";
import { type CommandFacts, writeExits } from "../output/command-facts.ts";

export default class Fixtures extends BaseCommand {
  static override summary = "Make the test payments that files describe.";
  static override description =
    "A file has steps: create, hosted, pay, cancel, refund, wait, advance. The files are checked before anything is sent. Test mode only.";
  static override examples = [
    "payments fixtures orders.json",
    "payments fixtures orders.json refunds.json --var order=1001 --json | jq -r .order.id",
  ];
  static override args = {
    file: Args.string({
      description: "A file of fixtures; `-` is standard input.",
      required: true,
      multiple: true,
      ignoreStdin: true,
    }),
  };
  static override flags = {
    var: varFlag,
    json: Flags.boolean({
      ...outputFlags.json,
      summary: "Print one JSON object, with what each named step made; the same as -o json.",
    }),
    output: Flags.option({
      char: "o",
      summary: "How to print: a line for each step, or JSON.",
      options: ["table", "json"] as const,
      helpValue: "<format>",
      helpGroup: "OUTPUT",
    })(),
    ...connectionFlags,
  };
  static facts: CommandFacts = {
    writes: "payments",
    repeatable: "never",
    exits: {
      ...writeExits,
      not_as_expected: "a payment did not end as its step expects",
      still_pending: "a payment was still pending when its step's time was over",
    },
    output: { object: null, fields: [] },
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Fixtures);
    const output = this.parseOutput(flags);
    const run = createRunName();
    const paths = args.file;
    if ([...paths, flags["api-key-file"]].filter((path) => path === "-").length > 1) {
      throw usageError("Standard input can be only one of the files, or the key.");
    }
    const steps = await loadFixtures(paths, { vars: parseVars(flags.var ?? []), run });
    const settings = await resolveSafeSettings(this, flags);
    refuseLive(settings, "Fixtures are test payments");
    if (steps.some(({ kind }) => kind === "hosted" || kind === "pay")) refuseEmbedded(settings);
    noteTarget(this, settings, output);
    using interruption = watchInterruption({ hasPrompted: false });
    const { signal } = interruption;
    const named: Record<string, MadeObject> = {};
    let isDone = false;
    try {
      await withClient(this, flags, settings, async (client) => {
        await checkGrant(client, findNeeds(steps), { nothing: "Nothing was sent.", signal });
        await runFixtures(client, steps, {
          run,
          signal,
          onDone: async (step, made) => {
            if (step.name !== undefined) named[step.name] = made;
            await this.showStep(step, made, output);
          },
        });
      });
      isDone = true;
    } finally {
      // The payments of earlier steps exist even if a later step failed.
      const hasMade = isDone || Object.keys(named).length > 0;
      if (output.format === "json" && hasMade) {
        await this.show({ value: named, text: () => "" }, output);
      }
    }
  }

  private async showStep(
    { kind, name = "" }: { kind: string; name: string | undefined },
    made: MadeObject,
    { format }: Output,
  ): Promise<void> {
    if (format !== "table") return;
    await this.write(`${formatStep({ kind, name }, made, this.style)}\n`);
  }
}

const kindWidth = "advance".length;
const statusWidth = "succeeded".length;
const gap = "  ";

/** Formats a step of fixtures that is done, and what it has made, as a line. */
function formatStep(
  { kind, name }: { kind: string; name: string },
  made: Payment | { now: number },
  style: ChalkInstance,
): string {
  const parts =
    "now" in made
      ? [formatLocalTime(made.now)]
      : [
          colorStatus(style, made.status.padEnd(statusWidth)),
          escapeControls(made.id),
          formatMoney(made.amount, made.currency),
          ...(made.decline_code === null ? [] : [escapeControls(made.decline_code)]),
        ];
  return [style.dim(kind.padEnd(kindWidth)), ...parts, ...(name === "" ? [] : [name])].join(gap);
}
