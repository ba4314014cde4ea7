/**
 * What a line of the bank's books can be: money that moved for a payment, or that moved back. `other` is no payment's:
 * payouts, fees, adjustments.
 */
export const lineTypes = [
  "charge",
  "charge_failure",
  "refund",
  "refund_failure",
  "dispute",
  "dispute_reversal",
  "other",
] as const;
export type LineType = (typeof lineTypes)[number];

/** A line of the bank's books. */
export type ReportLine = {
  /** The payment's id; empty where the line has none. */
  payment: string;
  /** `pending` and `failed`: a CSV of this command lists a payment for which no money moved. */
  type: LineType | "pending" | "failed";
  /** In minor units, without a sign. */
  amount: number;
  currency: string;
  /** In Unix seconds; null where the books do not say. */
  created: number | null;
  /** The line of the file on which the row begins; null for a network's. */
  line: number | null;
};

/** Where an amount has its decimals: 4999 is `minor`, 49.99 is `major`. */
export const amountUnits = ["minor", "major"] as const;
export type AmountUnit = (typeof amountUnits)[number];

/** A file of the bank's that cannot be compared; the message says what is wrong with the column. */
export class ReportMistake extends Error {
  override name = "ReportMistake";
  readonly column: string | undefined;
  readonly hint: string | undefined;

  constructor(message: string, { column, hint }: { column?: string; hint?: string } = {}) {
    super(message);
    this.column = column;
    this.hint = hint;
  }
}
