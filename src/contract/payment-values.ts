// The constants of payments, without zod: a command that only reads one does not load it.

export const currencies = ["eur", "usd", "gbp"] as const;
export const paymentStatuses = ["pending", "succeeded", "failed", "refunded"] as const;
/**
 * Every code that a failed payment may carry: those of the specification (Declines), those of a payment page, and
 * `authentication_required`. `canceled`: by the merchant.
 */
export const declineCodes = [
  "generic_decline",
  "insufficient_funds",
  "expired_card",
  "authentication_required",
  "test_mode_live_card",
  "hpp_expired",
  "customer_canceled",
  "canceled",
  "processing_error",
] as const;
export type DeclineCode = (typeof declineCodes)[number];

/** How long a payment's page may be open, in seconds. */
export const minPageSeconds = 300;
export const maxPageSeconds = 2_592_000;

export const paymentIdPattern = /^pay_[a-zA-Z0-9-]+$/;
