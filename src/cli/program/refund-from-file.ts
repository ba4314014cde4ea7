import type { ChalkInstance } from "chalk";
import { formatMoney } from "../../contract/money.ts";
import type { RefundResult } from "../../contract/refund-run.ts";
import { toCsvHeader, toCsvLine } from "../../runtime/records.ts";
import { escapeControls, toSafeJson } from "../../runtime/text.ts";
import { findStdinFlag } from "../flags/read-input.ts";
import { CommandError, StoppedRun, usageError } from "../output/command-error.ts";
import type { ExitReason } from "../output/exit-codes.ts";
import { Interruption, watchInterruption } from "../output/interruption.ts";
import { collectEarly } from "../output/stream-list.ts";
import { colorStatus, formatCount, formatMany } from "../output/style.ts";
import { formatDetails } from "../output/table.ts";
import { showProgress } from "../output/write-output.ts";
import { confirmAmount } from "./change-payment.ts";
import { canceled } from "../prompts/prompter.ts";
import {
  type Approval,
  type RefundPlan,
  describePlan,
  describeSums,
  planRefunds,
  toPlanJson,
} from "../refunds/plan-refunds.ts";
import { readRefundFile } from "../refunds/read-refund-file.ts";
import {
  checkRun,
  parseTotals,
  resultJson,
  runDefaults,
  writeReason,
} from "../refunds/refund-flags.ts";
import {
  type RefundRun,
  describeRun,
  runRefunds,
  toKnownResult,
  toRunJson,
} from "../refunds/run-refunds.ts";
import type { BaseCommand, Output } from "./base-command.ts";
import {
  type WriteFlags,
  noteSimulator,
  noteTarget,
  resolveSafeSettings,
  withClient,
} from "./connection.ts";
import type { PaymentsClient } from "../../client/client.ts";
import type { Settings } from "../config/resolve-settings.ts";

type Flags = WriteFlags & {
  from: string;
  yes: boolean;
  "no-input"?: boolean;
  "dry-run": boolean;
  reason?: string | undefined;
  run?: string | undefined;
  "expect-total"?: string[] | undefined;
  "max-total"?: string[] | undefined;
  concurrency?: number | undefined;
  "max-failures"?: number | undefined;
};

/** `payments refund --from`: reads the file, shows the plan, has it approved, and refunds. */
export async function refundFromFile(command: BaseCommand, flags: Flags): Promise<void> {
  const output = command.parseOutput(flags);
  const run = checkRun(flags.run);
  const totals = {
    expected: parseTotals(flags["expect-total"], "--expect-total"),
    max: parseTotals(flags["max-total"], "--max-total"),
  };
  writeReason(flags.reason, run);
  findStdinFlag(flags);
  // Standard input that was read as a file answers no prompt.
  const canPrompt = command.canPrompt(flags, output) && flags.from !== "-";
  if (!flags["dry-run"]) assertApprovable(flags, canPrompt);
  const settings = await resolveSafeSettings(command, flags);
  const waiting = { ...flags, waitsForRateLimits: true };
  await withClient(command, waiting, settings, async ({ payments }) => {
    using memory = new DisposableStack();
    memory.use(collectEarly());
    const plan = await makePlan(command, payments, { ...flags, run });
    noteTarget(command, settings, output);
    noteSimulator(command, settings, output);
    await showPlan(command, plan, output, flags["dry-run"]);
    if (flags["dry-run"]) return await showRefusals(command, plan, output);
    const confirm = flags.yes ? undefined : createConfirmation(command, settings);
    await refundPlan(command, payments, plan, { flags, output, approval: { ...totals, confirm } });
  });
}

function assertApprovable(flags: Flags, canPrompt: boolean): void {
  const hasTotals = Boolean(flags["expect-total"] ?? flags["max-total"]);
  if (flags.yes ? hasTotals : canPrompt) return;
  throw usageError(
    "Refunds from a file need --yes, and --expect-total or --max-total beside it, where they are not confirmed at a prompt. Nothing was refunded.",
    "--dry-run shows the plan and its sum.",
  );
}

async function makePlan(
  command: BaseCommand,
  payments: PaymentsClient["payments"],
  { from, run }: Pick<Flags, "from" | "run">,
): Promise<RefundPlan> {
  using interruption = watchInterruption({ hasPrompted: false });
  const { signal } = interruption;
  try {
    const file = await readRefundFile(from, signal);
    using progress = showProgress(process.stderr, process.env, command.errorStyle);
    const all = formatCount(file.ids.length);
    const onProgress = (found: number) =>
      progress.at(`${formatCount(found)} of ${all} payments looked up`);
    return await planRefunds(payments, file, { run, signal, onProgress });
  } catch (error) {
    const reason: unknown = signal.reason;
    if (!(reason instanceof Interruption)) throw error;
    throw new Interruption(reason.by, { hasPrompted: false, hint: "Nothing was refunded." });
  }
}

/** The plan stands on standard error, but for JSON, where a plan that is not carried out is the output. */
async function showPlan(
  command: BaseCommand,
  plan: RefundPlan,
  { format }: Output,
  isAlone: boolean,
): Promise<void> {
  if (format === "table" || format === "csv") {
    process.stderr.write(`${formatDetails(describePlan(plan), command.errorStyle)}\n`);
  } else if (isAlone) {
    await command.write(`${toSafeJson(toPlanJson(plan), { indented: false })}\n`);
  }
}

/** Ends a run that is only planned: with the payments that cannot be refunded, but in JSON, where the plan stands alone. */
async function showRefusals(
  command: BaseCommand,
  { payments }: RefundPlan,
  output: Output,
): Promise<void> {
  const isJson = output.format === "json" || output.format === "ndjson";
  const print = createPrinter(command, output);
  let count = 0;
  for (const payment of payments) {
    if (payment.standing === "refundable" || payment.standing === "already") continue;
    count++;
    if (!isJson) await print(...toKnownResult(payment));
  }
  if (count === 0) return;
  throw new CommandError(
    "not_as_expected",
    `${formatMany(count, "payment")} of the file cannot be refunded.`,
  );
}

/** One question in test mode; in live mode the sum is typed, a currency at a time. */
function createConfirmation(
  command: BaseCommand,
  { mode }: Settings,
): NonNullable<Approval["confirm"]> {
  const refused = "Canceled; nothing was refunded.";
  return async ({ counts, totals }) => {
    const prompter = await command.openPrompter();
    const what = formatMany(counts.refundable, "payment");
    if (mode === "test") {
      if (await prompter.confirm(`Refund ${what}, ${describeSums(totals)}?`)) return;
      throw canceled(refused);
    }
    const place = command.place ? `Refund ${what} in ${command.place.text}?` : "Live mode.";
    for (const [currency, amount] of totals) {
      const sum = formatMoney(amount, currency);
      const question = `${place} Type the sum, ${sum}, to refund ${what}:`;
      const wrong = `The typed sum is not ${sum}; nothing was refunded.`;
      await confirmAmount(prompter, { amount, currency }, { question, refused, wrong });
    }
  };
}

async function refundPlan(
  command: BaseCommand,
  payments: PaymentsClient["payments"],
  plan: RefundPlan,
  { flags, output, approval }: { flags: Flags; output: Output; approval: Approval },
): Promise<void> {
  const {
    concurrency = runDefaults.concurrency,
    "max-failures": maxFailures = runDefaults.maxFailures,
  } = flags;
  using progress = showProgress(process.stderr, process.env, command.errorStyle);
  const print = createPrinter(command, output);
  const all = formatCount(plan.payments.length);
  let done = 0;
  const outcome = await runRefunds(payments, plan, {
    approval,
    concurrency,
    maxFailures,
    reason: writeReason(flags.reason, plan.run),
    onResult: async (result, why) => {
      if (process.stdout.isTTY) progress.clear();
      await print(result, why);
      progress.at(`${formatCount(++done)} of ${all} payments`);
    },
    onStop: () => {
      progress.clear();
      command.note("Waiting for the refunds under way. Ctrl-C again ends at once.", output);
    },
  });
  progress[Symbol.dispose]();
  await showRun(command, outcome, output);
  throwUnlessDone(outcome, `payments refund${command.repeat(ofRun)} --run ${plan.run}`);
}

/** Prints each result on a line of its own; people are told why, too. */
function createPrinter(command: BaseCommand, { format }: Output) {
  let isFirst = true;
  const toLine = (result: RefundResult, why?: string): string => {
    if (format === "csv") {
      const heading = isFirst ? `${toCsvHeader(resultJson.fields)}\n` : "";
      isFirst = false;
      return heading + toCsvLine(result, resultJson.fields);
    }
    return format === "table"
      ? formatResult(result, why, command.style)
      : toSafeJson(result, { indented: false });
  };
  return async (result: RefundResult, why?: string) => command.write(`${toLine(result, why)}\n`);
}

const idWidth = "pay_0199c5a8-7f3e-7abc-9def-0123456789ab".length;
const amountWidth = "1234567.00 EUR".length;
const resultWidth = "refunded".length;

function formatResult(
  { id, amount, currency, result, error }: RefundResult,
  why: string | undefined,
  style: ChalkInstance,
): string {
  const money = amount === null || currency === null ? "" : formatMoney(amount, currency);
  const reason = [error, why].filter(Boolean).join(": ");
  const outcome = `${result.padEnd(resultWidth)}  ${reason}`.trimEnd();
  const text = escapeControls(`${id.padEnd(idWidth)}  ${money.padStart(amountWidth)}  `);
  return text + colorStatus(style, escapeControls(outcome));
}

async function showRun(command: BaseCommand, run: RefundRun, { format }: Output): Promise<void> {
  if (format === "table" || format === "csv") {
    process.stderr.write(`${describeRun(run)}\n`);
    return;
  }
  const line = `${toSafeJson(toRunJson(run), { indented: false })}\n`;
  const written = command.write(line);
  // Output that cannot be written has ended the run already, and is what the error is about.
  await (run.failure ? written.catch(() => {}) : written);
  // A reader that has left (`| head -1`) does not keep the person from learning what became of the money.
  if (!command.hasReader) process.stderr.write(line);
}

/** Ends the command by what has come of the run. `again`: the command line to go on with. */
function throwUnlessDone({ failure, unknown, refused, notTried }: RefundRun, again: string): void {
  const hint = `Nothing is refunded twice; go on with: ${again}`;
  if (failure?.error instanceof Interruption) {
    const { by, hasPrompted } = failure.error;
    throw new Interruption(by, { hasPrompted, hint });
  }
  if (failure && unknown + notTried > 0) throw new StoppedRun(failure.error, hint);
  if (failure) throw failure.error;
  if (unknown > 0) {
    const stopped =
      notTried > 0 ? ` The run has stopped; ${formatCount(notTried)} were not tried.` : "";
    const message = `The outcome of ${formatMany(unknown, "refund")} is unknown.${stopped}`;
    throw new CommandError("unavailable", message, hint);
  }
  const count = [...refused.values()].reduce((sum, each) => sum + each, 0);
  if (count === 0) return;
  const ending: ExitReason = refused.has("refund_limit_exceeded") ? "key" : "not_as_expected";
  throw new CommandError(ending, `${formatMany(count, "payment")} could not be refunded.`);
}

/** The flags that do the same again. */
const ofRun = new Set(
  "from yes expect-total max-total reason concurrency max-failures json output max-retries request-timeout no-input".split(
    " ",
  ),
);
