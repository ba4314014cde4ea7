import type { DeclineCode } from "./field-values.ts";

/** Every decline code and the message that goes with it. */
export const declineMessages = {
  generic_decline: "The card was declined. The customer should use another card or ask the bank.",
  insufficient_funds: "The card has insufficient funds to complete this payment.",
  expired_card: "The card has expired. Do not retry this card; ask the customer for another one.",
  authentication_required:
    "The bank wanted the customer to confirm this payment, and it was not confirmed. The customer should try again on a payment page, where the bank can ask, or use another card.",
  test_mode_live_card:
    "A real card was used in test mode, which only accepts test cards. Nothing was charged.",
  hpp_expired: "The payment page expired before the customer paid.",
  customer_canceled: "The customer canceled the payment.",
  canceled: "The merchant canceled the payment.",
  processing_error: "The card network could not process the payment. Try again later.",
} as const satisfies Record<DeclineCode, string>;

export function isDeclineCode(code: string): code is DeclineCode {
  return Object.hasOwn(declineMessages, code);
}
