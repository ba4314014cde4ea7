import type { TransactionType } from "../../contract/field-values.ts";

/** A line of the bank's books. */
export type ReportLine = {
  /** The payment's id; empty where the line has none. */
  payment: string;
  /** `pending` and `failed`: a CSV of this command lists a payment for which no money moved. */
  type: TransactionType | "pending" | "failed";
  /** In minor units, without a sign. */
  amount: number;
  currency: string;
  /** In Unix seconds; null where the books do not say. */
  created: number | null;
  /** The line of the file on which the row begins; null for a network's. */
  line: number | null;
};

/** A file of the bank's that cannot be compared; the message says what is wrong with the line, or with its column. */
export class ReportMistake extends Error {
  override name = "ReportMistake";
  readonly column: string | undefined;
  readonly hint: string | undefined;
  /** Left out by the readers of cells, which do not know the line: `addLineNumber` adds it. */
  readonly line: number | undefined;

  constructor(
    message: string,
    { column, hint, line }: Partial<Pick<ReportMistake, "column" | "hint" | "line">> = {},
  ) {
    super(message);
    this.column = column;
    this.hint = hint;
    this.line = line;
  }
}

/** Adds the line to a mistake that does not say which line it is about. */
export function addLineNumber(error: unknown, line: number): unknown {
  if (!(error instanceof ReportMistake) || error.line !== undefined) return error;
  const { message, column, hint } = error;
  return new ReportMistake(message, { column, hint, line });
}

/**
 * Stripe's reporting categories, which an adapter's words are among. A part of an authorization that was not captured
 * goes back to the customer as a refund does; no other category moves a payment's money.
 */
export const stripeTypes: ReadonlyMap<string, TransactionType> = new Map<string, TransactionType>([
  ["charge", "charge"],
  ["charge_failure", "charge_failure"],
  ["refund", "refund"],
  ["partial_capture_reversal", "refund"],
  ["refund_failure", "refund_failure"],
  ["dispute", "dispute"],
  ["dispute_reversal", "dispute_reversal"],
  ...[
    "advance",
    "advance_funding",
    "anticipation_repayment",
    "climate_order_purchase",
    "climate_order_refund",
    "connect_collection_transfer",
    "connect_reserved_funds",
    "contribution",
    "fee",
    "fee_credit_funding",
    "financing_paydown",
    "financing_paydown_reversal",
    "financing_payout",
    "financing_payout_reversal",
    "issuing_authorization_hold",
    "issuing_authorization_release",
    "issuing_disbursement",
    "issuing_dispute",
    "issuing_dispute_fraud_liability_debit",
    "issuing_dispute_provisional_credit",
    "issuing_dispute_provisional_credit_reversal",
    "issuing_transaction",
    "minimum_balance_hold",
    "minimum_balance_release",
    "network_cost",
    "other",
    "other_adjustment",
    "payment_network_reserve_hold",
    "payment_network_reserve_release",
    "payout",
    "payout_minimum_balance_hold",
    "payout_minimum_balance_release",
    "payout_reversal",
    "platform_earning",
    "platform_earning_refund",
    "reserve_hold",
    "reserve_release",
    "risk_reserved_funds",
    "stripe_balance_payment_debit",
    "stripe_balance_payment_debit_reversal",
    "tax",
    "topup",
    "topup_reversal",
    "transfer",
    "transfer_reversal",
    "unreconciled_customer_funds",
  ].map((category) => [category, "other"] as const),
]);
