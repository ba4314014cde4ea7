import { createHash } from "node:crypto";
import type { PaymentsClient } from "../../client/client.ts";
import { ApiError } from "../../client/errors.ts";
import { formatMoney } from "../../contract/money.ts";
import type { PaymentStatus } from "../../contract/payment.ts";
import type { RefundPlanJson } from "../../contract/refund-run.ts";
import { usageError } from "../output/command-error.ts";
import { formatCount } from "../output/style.ts";
import type { RefundFile } from "./read-refund-file.ts";
import type { Money } from "./refund-flags.ts";

/** A payment of the file as it was found; `amount` is in minor units. Of an unknown one nothing but the id is known. */
export type PlannedRefund = { id: string; amount: number | null; currency: string | null } & (
  | { standing: "refundable" | "already"; amount: number; currency: string }
  | { standing: "not_refundable" | "unknown" }
);

/** What a run would do. Sums are in minor units by currency. */
export type RefundPlan = {
  run: string;
  payments: readonly PlannedRefund[];
  counts: Record<PlannedRefund["standing"], number>;
  totals: ReadonlyMap<string, number>;
  alreadyTotals: ReadonlyMap<string, number>;
  twice: number;
};

const lookUpsAtOnce = 16;

/** Looks each payment up. Errors: those of a look-up but for an unknown payment; a sum that JSON could not carry. */
export async function planRefunds(
  payments: Pick<PaymentsClient["payments"], "retrieve">,
  { ids, twice }: RefundFile,
  { run = nameRun(ids), signal, onProgress }: PlanOptions,
): Promise<RefundPlan> {
  const planned: PlannedRefund[] = [];
  let found = 0;
  // The others may be waiting for a rate limit when one has failed.
  const failed = new AbortController();
  const ending = AbortSignal.any([signal, failed.signal]);
  await workThrough(ids.length, lookUpsAtOnce, async (at) => {
    try {
      planned[at] = await lookUp(payments, ids[at] ?? "", ending);
    } catch (error) {
      failed.abort(error);
      throw error;
    }
    onProgress(++found);
  });
  return { run, payments: planned, ...sumUp(planned), twice };
}

type PlanOptions = {
  run: string | undefined;
  signal: AbortSignal;
  /** Called with the number of payments that were looked up. */
  onProgress: (found: number) => void;
};

/** The same payments make the same name. In letters alone, since digits could be taken for a card's. */
function nameRun(ids: readonly string[]): string {
  const hash = createHash("sha256");
  for (const id of ids) hash.update(`${id}\n`);
  const hex = hash.digest("hex").slice(0, 16);
  return hex.replaceAll(/\d/g, (digit) => "ghijklmnop".charAt(Number(digit)));
}

async function lookUp(
  payments: Pick<PaymentsClient["payments"], "retrieve">,
  id: string,
  signal: AbortSignal,
): Promise<PlannedRefund> {
  try {
    const { amount, currency, status } = await payments.retrieve(id, { signal });
    return { id, amount, currency, standing: standings[status] };
  } catch (error) {
    const isUnknown = error instanceof ApiError && error.code === "resource_missing";
    if (!isUnknown) throw error;
    return { id, amount: null, currency: null, standing: "unknown" };
  }
}

const standings = {
  succeeded: "refundable",
  refunded: "already",
  pending: "not_refundable",
  failed: "not_refundable",
} as const satisfies Record<PaymentStatus, PlannedRefund["standing"]>;

/** Counts the payments, and adds their amounts up. Errors: a sum that JSON could not carry. */
function sumUp(payments: RefundPlan["payments"]) {
  const counts = { refundable: 0, already: 0, not_refundable: 0, unknown: 0 };
  const sums = { refundable: new Map<string, number>(), already: new Map<string, number>() };
  for (const payment of payments) {
    counts[payment.standing]++;
    if (payment.standing === "refundable" || payment.standing === "already") {
      addTo(sums[payment.standing], payment.currency, payment.amount);
    }
  }
  const all = [...sums.refundable.values(), ...sums.already.values()];
  if (all.every(Number.isSafeInteger)) {
    return { counts, totals: sums.refundable, alreadyTotals: sums.already };
  }
  throw usageError("The sum of these payments is too large to be exact. Split the file.");
}

export function addTo(sums: Map<string, number>, key: string, amount: number): void {
  sums.set(key, (sums.get(key) ?? 0) + amount);
}

/**
 * Does a piece of work for 0, 1, … in turn, so many at once, and waits for all that has begun. None begins after one has
 * failed, whose error is thrown, or once `isOver`.
 */
export async function workThrough(
  count: number,
  atOnce: number,
  work: (at: number) => Promise<void>,
  isOver: () => boolean = () => false,
): Promise<void> {
  let next = 0;
  const failures: unknown[] = [];
  const worker = async () => {
    while (next < count && failures.length === 0 && !isOver()) {
      await work(next++).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  if (failures.length > 0) throw failures[0];
}

/** What the person who starts a run has agreed to: sums, and, at a prompt, the plan itself. */
export type Approval = {
  expected: readonly Money[];
  max: readonly Money[];
  confirm?: ((plan: RefundPlan) => Promise<void>) | undefined;
};

/**
 * Refuses a plan that was not agreed to. An expected total may have been refunded in part: so the command line of a run
 * that was interrupted goes on with it. Errors: usage; those of the prompt.
 */
export async function approvePlan(
  plan: RefundPlan,
  { expected, max, confirm }: Approval,
): Promise<void> {
  for (const { amount, currency } of expected) {
    const left = plan.totals.get(currency) ?? 0;
    const done = plan.alreadyTotals.get(currency) ?? 0;
    if (amount >= left && amount <= left + done) continue;
    const already = done === 0 ? "" : `, and ${formatMoney(done, currency)} are refunded already`;
    throw refuse(
      `--expect-total is ${formatMoney(amount, currency)}, but the file has ${formatMoney(left, currency)} to refund${already}.`,
    );
  }
  for (const { amount, currency } of max) {
    const left = plan.totals.get(currency) ?? 0;
    if (left <= amount) continue;
    throw refuse(
      `--max-total is ${formatMoney(amount, currency)}, but the file has ${formatMoney(left, currency)} to refund.`,
    );
  }
  if (confirm) {
    if (plan.counts.refundable > 0) await confirm(plan);
    return;
  }
  for (const [currency, sum] of plan.totals) {
    if ([...expected, ...max].some((total) => total.currency === currency)) continue;
    throw refuse(
      `The file has ${formatMoney(sum, currency)} to refund, which neither --expect-total nor --max-total names.`,
    );
  }
}

function refuse(message: string): Error {
  return usageError(`${message} Nothing was refunded.`, "--dry-run shows the plan.");
}

/** The plan in words: a name and a text each, the text empty where there is nothing to say. */
export function describePlan({ run, counts, totals, alreadyTotals, twice }: RefundPlan) {
  return [
    ["Run", run],
    ["To refund", `${formatCount(counts.refundable)}${describeSums(totals, ": ")}`],
    ["Refunded already", unlessNone(counts.already, describeSums(alreadyTotals, ": "))],
    ["Not refundable", unlessNone(counts.not_refundable, ", pending or failed")],
    ["Not found", unlessNone(counts.unknown)],
    ["Named twice", unlessNone(twice)],
  ] as const;
}

function unlessNone(count: number, text = ""): string {
  return count === 0 ? "" : formatCount(count) + text;
}

/** `, 2003.00 EUR and 12.00 USD`; nothing where there is no sum. */
export function describeSums(sums: ReadonlyMap<string, number>, before = ""): string {
  const texts = [...sums].map(([currency, sum]) => formatMoney(sum, currency));
  return texts.length === 0 ? "" : before + new Intl.ListFormat("en-GB").format(texts);
}

export function toPlanJson({ run, counts, totals, twice }: RefundPlan): RefundPlanJson {
  const { refundable, already, not_refundable, unknown } = counts;
  const sums = Object.fromEntries(totals);
  return {
    object: "refund_plan",
    run,
    refundable,
    totals: sums,
    already,
    not_refundable,
    unknown,
    twice,
  };
}
