/**
 * What a line of the bank's books, or of a card network's list, can be: money that moved for a payment, or that moved
 * back. `other` is no payment's: payouts, fees, adjustments.
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
