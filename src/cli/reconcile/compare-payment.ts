import { mask } from "../../contract/mask.ts";
import type { PaymentStatus } from "../../contract/payment.ts";
import type { ReportLine } from "./report-line.ts";

/** A payment of this account, as far as it is compared. */
export type OwnPayment = {
  id: string;
  status: PaymentStatus;
  amount: number;
  currency: string;
  succeeded_at: number | null;
  refunded_at: number | null;
};

/** Here and not there; there and not here; another amount or currency; another state. */
export const listNames = ["only_here", "only_there", "another_amount", "another_state"] as const;
export type ListName = (typeof listNames)[number];

/** How the books differ about a payment. */
export type Reason =
  | "no_charge_there"
  | "unknown_payment"
  | "no_payment_id"
  | "other_amount"
  | "other_currency"
  | "several_charges"
  | "several_refunds"
  | "other_refund_amount"
  | "charged_there"
  | "charge_failed_there"
  | "refunded_there"
  | "refunded_here"
  | "disputed_there"
  | "other_status";

/** One difference. `line` is the first of the file about it, and `count` how many there are. */
export type Difference = {
  object: "difference";
  list: ListName;
  reason: Reason;
  payment: string | null;
  here: { status: PaymentStatus; amount: number; currency: string } | null;
  there: {
    type: ReportLine["type"];
    count: number;
    amount: number;
    currency: string;
    line: number | null;
  } | null;
  /** The command that would settle it; null where none of this program would. */
  command: string | null;
};

/** The lines of one kind about a payment: `count` without those that were undone. */
type Tally = { count: number; first: ReportLine; sum: number; isOneCurrency: boolean };

/** The bank's lines about one payment, added up. */
export type LinesOfPayment = {
  charge?: Tally;
  refund?: Tally;
  dispute?: Tally;
  /** A CSV of this command says that no money moved. */
  unmoved?: ReportLine;
};

const undoing: Partial<Record<ReportLine["type"], "charge" | "refund" | "dispute">> = {
  charge_failure: "charge",
  refund_failure: "refund",
  dispute_reversal: "dispute",
};

/** Counts a line about a payment. Lines about one thing are counted, since a second charge is a difference. */
export function countLine(lines: LinesOfPayment, line: ReportLine): void {
  const { type } = line;
  switch (type) {
    case "other":
      return;
    case "pending":
    case "failed":
      lines.unmoved ??= line;
      return;
    default: {
      const undone = undoing[type];
      const kind = undone ?? (type as "charge" | "refund" | "dispute");
      const sign = undone ? -1 : 1;
      const tally = (lines[kind] ??= { count: 0, first: line, sum: 0, isOneCurrency: true });
      tally.count += sign;
      tally.sum += sign * line.amount;
      tally.isOneCurrency &&= line.currency === tally.first.currency;
    }
  }
}

type CompareOptions = {
  /** The flags by which a printed command reaches the payments, each with a space before it. */
  target: string;
  /** Changes at or after this time, in Unix seconds, need not be in the bank's books yet. */
  to: number | undefined;
};

/** Compares a payment with what the bank's books say of it. */
export function comparePayment(
  own: OwnPayment | undefined,
  lines: LinesOfPayment,
  { target, to = Number.POSITIVE_INFINITY }: CompareOptions,
): Difference[] {
  const charge = keepCounted(lines.charge);
  const refund = keepCounted(lines.refund);
  const dispute = keepCounted(lines.dispute);
  const { unmoved } = lines;
  if (!own) {
    const there = describe(charge ?? refund ?? dispute ?? lines.charge, unmoved);
    return there ? [describeUnknown(there.payment, there)] : [];
  }

  const differences: Difference[] = [];
  const { id, status, amount, currency } = own;
  const add = (list: ListName, reason: Reason, tally?: Tally, command: string | null = null) =>
    differences.push({
      object: "difference",
      list,
      reason,
      payment: id,
      here: { status, amount, currency },
      there: toThere(describe(tally, unmoved)),
      command,
    });

  const isCharged = status === "succeeded" || status === "refunded";
  if (!isCharged) {
    // The service gives back what was taken for a payment that has failed.
    const isGivenBack = status === "failed" && charge && refund && isSameSum(charge, refund);
    if (charge && !isGivenBack) add("another_state", "charged_there", charge);
    else if (refund && !isGivenBack) add("another_state", "refunded_there", refund);
    if (unmoved && !charge && !refund && unmoved.type !== status) {
      add("another_state", "other_status");
    }
  } else if (charge) {
    if (charge.count > 1) add("another_amount", "several_charges", charge);
    else if (!charge.isOneCurrency || charge.first.currency !== currency) {
      add("another_amount", "other_currency", charge);
    } else if (charge.sum !== amount) add("another_amount", "other_amount", charge);
  } else if (unmoved || lines.charge) {
    add("another_state", unmoved ? "other_status" : "charge_failed_there", lines.charge);
  } else if ((own.succeeded_at ?? 0) < to) {
    add("only_here", "no_charge_there", refund ?? dispute);
  }

  if (isCharged && refund) {
    const ours = { sum: amount, first: { currency }, isOneCurrency: true };
    const charged = charge && charge.count === 1 ? charge : ours;
    if (refund.count > 1) add("another_amount", "several_refunds", refund);
    else if (!isSameSum(refund, charged)) {
      add("another_amount", "other_refund_amount", refund);
    } else if (status === "succeeded") {
      const command = `payments refund ${id}${target}`;
      add("another_state", "refunded_there", refund, command);
    }
  } else if (status === "refunded" && charge && (own.refunded_at ?? 0) < to) {
    add("another_state", "refunded_here", charge);
  }
  if (dispute) add("another_state", "disputed_there", dispute);
  return differences;
}

/**
 * A line without a payment's id, or about a payment that this account does not have. What the file has in place of an
 * id may be anything, and is printed: a card number or a key in it is masked.
 */
export function describeUnknown(payment: string, there: Described): Difference {
  return {
    object: "difference",
    list: "only_there",
    reason: payment === "" ? "no_payment_id" : "unknown_payment",
    payment: payment === "" ? null : mask(payment),
    here: null,
    there: toThere(there),
    command: null,
  };
}

type Described = ReportLine & { count: number };

/**
 * A kind of which every line was undone, such as a dispute that was won, counts for nothing unless money is left. What
 * was undone may also be from before the file.
 */
function keepCounted(tally: Tally | undefined): Tally | undefined {
  if (!tally || tally.count > 0) return tally;
  const isLeft = tally.count === 0 && (tally.sum !== 0 || !tally.isOneCurrency);
  return isLeft ? tally : undefined;
}

type Sum = Pick<Tally, "sum" | "isOneCurrency"> & { first: Pick<ReportLine, "currency"> };

function isSameSum(one: Sum, other: Sum): boolean {
  const isComparable = one.isOneCurrency && other.isOneCurrency;
  return isComparable && one.sum === other.sum && one.first.currency === other.first.currency;
}

function describe(tally?: Tally, unmoved?: ReportLine): Described | undefined {
  if (!tally) return unmoved && { ...unmoved, count: 1 };
  const { first, count, sum, isOneCurrency } = tally;
  return {
    ...first,
    count: Math.max(count, 1),
    amount: isOneCurrency && sum !== 0 ? sum : first.amount,
  };
}

function toThere(line: Described | undefined): Difference["there"] {
  if (!line) return null;
  const { type, count, amount, currency } = line;
  return { type, count, amount, currency, line: line.line };
}
