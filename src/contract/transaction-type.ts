/**
 * The types of a transaction in a bank's lines or a card network's list: money that moved for a payment, or moved back.
 * `other` belongs to no payment: payouts, fees, adjustments.
 */
export const transactionTypes = [
  "charge",
  "charge_failure",
  "refund",
  "refund_failure",
  "dispute",
  "dispute_reversal",
  "other",
] as const;
export type TransactionType = (typeof transactionTypes)[number];
