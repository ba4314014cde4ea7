/** Every code that a declined payment may carry (specification: Declines). */
export const declineCodes = [
  "generic_decline",
  "insufficient_funds",
  "expired_card",
  "test_mode_live_card",
  "hpp_expired",
  "customer_canceled",
  "processing_error",
] as const;
export type DeclineCode = (typeof declineCodes)[number];
