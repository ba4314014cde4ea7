// The constants of payments, without zod: a command that only reads one does not load it.

export const currencies = ["eur", "usd", "gbp"] as const;
export const paymentStatuses = ["pending", "succeeded", "failed", "refunded"] as const;
/**
 * Every code that a declined payment may carry: those of the specification (Declines), and
 * `authentication_required`.
 */
export const declineCodes = [
  "generic_decline",
  "insufficient_funds",
  "expired_card",
  "authentication_required",
  "test_mode_live_card",
  "hpp_expired",
  "customer_canceled",
  "processing_error",
] as const;
export type DeclineCode = (typeof declineCodes)[number];

export const paymentIdPattern = /^pay_[a-zA-Z0-9-]+$/;
