import type { DeclineCode } from "../contract/decline.ts";

/** What a decline is called to the person who holds the card: what happened, and no blame. */
const words = {
  generic_decline: "The card was declined. Only your bank can say why.",
  insufficient_funds: "There is not enough money available on this card.",
  expired_card: "This card has expired.",
  test_mode_live_card: "This is a test page: it accepts test cards only.",
  hpp_expired: "The time for this payment is over.",
  customer_canceled: "You canceled this payment.",
  processing_error: "The payment could not be processed.",
} as const satisfies Record<DeclineCode, string>;

/** A decline's code in words for the customer; any other text stays as it is. */
export function declineWords(reason: string): string {
  return Object.hasOwn(words, reason) ? words[reason as DeclineCode] : reason;
}
