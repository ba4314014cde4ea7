import type { PaymentsClient } from "../../client/client.ts";
import {
  ApiError,
  InterruptedError,
  ModeMismatchError,
  PaymentsError,
  UnexpectedAnswerError,
} from "../../client/errors.ts";
import type { RefundResult, RefundRunJson } from "../../contract/refund-run.ts";
import { watchInterruption } from "../output/interruption.ts";
import { toFailure } from "../output/explain-failure.ts";
import { formatCount } from "../output/style.ts";
import {
  type Approval,
  type PlannedRefund,
  type RefundPlan,
  addTo,
  approvePlan,
  describeSums,
  workThrough,
} from "./plan-refunds.ts";

/** The outcome of a run. Each payment of the file is counted once: sums are in minor units by currency. */
export type RefundRun = {
  run: string;
  refunded: number;
  totals: Map<string, number>;
  already: number;
  refused: Map<string, number>;
  unknown: number;
  notTried: number;
  /** Why it stopped before its end: a key that is not accepted, output that cannot be written, a signal. */
  failure?: { error: unknown };
};

type RunOptions = {
  approval: Approval;
  concurrency: number;
  /** So many unknown outcomes in a row stop the run. */
  maxFailures: number;
  reason: string;
  /** Called as it happens; `why` is what its error means, in words. */
  onResult: (result: RefundResult, why?: string) => Promise<void>;
  /** Called when a signal stops the run, which then waits for what is under way. */
  onStop: () => void;
};

/** How long what is under way may take after a signal: it may be waiting for a rate limit. */
const graceMs = 10_000;

/**
 * Refunds the payments of a plan that was agreed to, each under an idempotency key made of the run and the payment: one
 * that an earlier run has sent is not refunded again. Errors: the plan was not agreed to; nothing was sent then.
 */
export async function runRefunds(
  { refund }: Pick<PaymentsClient["payments"], "refund">,
  plan: RefundPlan,
  { approval, concurrency, maxFailures, reason, onResult, onStop }: RunOptions,
): Promise<RefundRun> {
  assertLimits(concurrency, maxFailures);
  await approvePlan(plan, approval);
  const { run, payments } = plan;
  const outcome: RefundRun = {
    run,
    refunded: 0,
    totals: new Map(),
    already: 0,
    refused: new Map(),
    unknown: 0,
    notTried: payments.length,
  };
  using interruption = watchInterruption({ hasPrompted: false });
  const { signal } = interruption;
  // Nothing is sent once the run is over, by a refund that waits for a rate limit either.
  const over = new AbortController();
  const late = new AbortController();
  signal.addEventListener("abort", () => {
    over.abort();
    onStop();
    setTimeout(() => late.abort(signal.reason), graceMs).unref();
  });
  let unknownInRow = 0;
  const tell: RunOptions["onResult"] = async (result, why) => {
    count(outcome, result);
    await onResult(result, why);
  };
  const signals = { signal: late.signal, retrySignal: over.signal };
  const work = async (at: number) => {
    const payment = payments.at(at) as PlannedRefund;
    if (payment.standing !== "refundable") return await tell(...toKnownResult(payment));
    let isReplayed = false;
    try {
      const idempotencyKey = `${run}:${payment.id}`;
      const onReplay = () => (isReplayed = true);
      await refund(payment.id, { idempotencyKey, reason, onReplay, ...signals });
    } catch (error) {
      if (isLimited(error) && over.signal.aborted) return;
      const result = toFailedResult(payment, error);
      unknownInRow = result?.result === "unknown" ? unknownInRow + 1 : 0;
      if (unknownInRow >= maxFailures || endsRun(error)) over.abort();
      if (result) await tell(result, toFailure(error).problem.message);
      if (endsRun(error)) throw error;
      return;
    }
    unknownInRow = 0;
    // Another process of this run has refunded it meanwhile: that one counts its sum.
    await tell(toResult(payment, isReplayed ? "already" : "refunded"));
  };
  const workUntilOver = async (at: number) => {
    try {
      await work(at);
    } catch (error) {
      over.abort();
      throw error;
    }
  };
  try {
    await workThrough(payments.length, concurrency, workUntilOver, () => over.signal.aborted);
    if (outcome.notTried > 0) signal.throwIfAborted();
  } catch (error) {
    outcome.failure = { error };
  }
  return outcome;
}

const maxConcurrency = 16;

function assertLimits(concurrency: number, maxFailures: number): void {
  const isWithin = concurrency >= 1 && concurrency <= maxConcurrency && maxFailures >= 1;
  if (!isWithin)
    throw new RangeError("A run needs 1 to 16 refunds at once, and stops at a failure.");
}

/** Whether a refund was only held up by a rate limit, in each attempt: nothing was done. */
function isLimited(error: unknown): boolean {
  return error instanceof ApiError && error.status === 429 && !error.outcomeUnknown;
}

function toResult(
  { id, amount, currency }: PlannedRefund,
  result: RefundResult["result"],
  error: string | null = null,
): RefundResult {
  return { id, amount, currency, result, error };
}

/** The result of a payment that the plan says cannot be refunded, or was, and why in words. */
export function toKnownResult(payment: PlannedRefund): [result: RefundResult, why?: string] {
  if (payment.standing === "already") return [toResult(payment, "already")];
  if (payment.standing === "unknown") {
    return [
      toResult(payment, "refused", "resource_missing"),
      "No payment of this mode has this id.",
    ];
  }
  return [toResult(payment, "refused", "payment_not_refundable"), "It is pending or failed."];
}

/** Undefined where nothing can have been done: the key was refused, or a signal came before anything was sent. */
function toFailedResult(payment: PlannedRefund, error: unknown): RefundResult | undefined {
  const { code } = toFailure(error).problem;
  // Another request has refunded it meanwhile: under this key it would be a replay.
  if (code === "payment_already_refunded") return toResult(payment, "already");
  const isUnknown = !(error instanceof PaymentsError) || error.outcomeUnknown || error.retryable;
  if (isUnknown || error instanceof ModeMismatchError) return toResult(payment, "unknown", code);
  if (error instanceof InterruptedError || endsRun(error)) return undefined;
  return toResult(payment, error instanceof ApiError ? "refused" : "unknown", code);
}

/** Whether each further refund would fail in the same way, or must not be tried. */
function endsRun(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 401 || error.code === "permission_denied";
  if (error instanceof UnexpectedAnswerError) return error.status === 401 || error.status === 403;
  return !(error instanceof PaymentsError) || error instanceof ModeMismatchError;
}

function count(run: RefundRun, { amount, currency, result, error }: RefundResult): void {
  run.notTried--;
  if (result === "refused") addTo(run.refused, error ?? "", 1);
  else run[result]++;
  if (result === "refunded") addTo(run.totals, currency ?? "", amount ?? 0);
}

/** The closing line in words. */
export function describeRun({ refused, ...run }: RefundRun): string {
  const codes = [...refused].map(([code, number]) => `${formatCount(number)} ${code}`);
  const others = [
    ["Refunded already", run.already],
    ["Refused", codes.join(", ")],
    ["Unknown", run.unknown],
    ["Not tried", run.notTried],
  ] as const;
  return [
    `Refunded ${formatCount(run.refunded)}${describeSums(run.totals, ": ")}.`,
    ...others.flatMap(([name, value]) => {
      if (value === 0 || value === "") return [];
      return [`${name}: ${typeof value === "number" ? formatCount(value) : value}.`];
    }),
  ].join(" ");
}

export function toRunJson({
  run,
  refunded,
  totals,
  already,
  refused,
  unknown,
  notTried,
}: RefundRun): RefundRunJson {
  return {
    object: "refund_run",
    run,
    refunded,
    totals: Object.fromEntries(totals),
    already,
    refused: Object.fromEntries(refused),
    unknown,
    not_tried: notTried,
  };
}
