import { isExpired } from "../domain/card.ts";
import { isDeclineCode, type DeclineCode } from "../domain/decline.ts";
import type { AuthorizationAnswer, Authorization, CardNetwork } from "../service/ports.ts";

type Fate = "approved" | DeclineCode;

/** The test cards and what becomes of each (specification: Test mode). */
const testCards: Record<string, Fate> = {
  "4242424242424242": "approved",
  "5555555555554444": "approved",
  "4000000000000002": "generic_decline",
  "4000000000009995": "insufficient_funds",
  "4000000000000069": "expired_card",
  "4111111111111111": "approved",
  "378282246310005": "approved",
  "6011111111111117": "approved",
  "30569309025904": "approved",
  "3530111333300000": "approved",
  "6200000000000005": "approved",
};

/** The network of test mode: the test cards behave as published, no other card is accepted. */
export function testNetwork(options: { processingTimeMs: number }): CardNetwork {
  return simulatedNetwork(options, "test_mode_live_card");
}

/** A card network without a bank behind it: `other` is what becomes of cards that are no test cards. */
export function simulatedNetwork(options: { processingTimeMs: number }, other: Fate): CardNetwork {
  return {
    authorize: async (request) => answer(fateOf(request, other), request, options),
    outcomeOf: async (reference) => ({
      outcome: "declined",
      code: isDeclineCode(reference) ? reference : "processing_error",
    }),
    refund: async () => {},
  };
}

function fateOf({ card, atMs }: Authorization, other: Fate): Fate {
  const fate = testCards[card.number] ?? other;
  return fate === "approved" && isExpired(card, atMs / 1000) ? "expired_card" : fate;
}

/** The reference of a decline to come is its code: the number itself is not kept anywhere. */
function answer(
  fate: Fate,
  request: Authorization,
  options: { processingTimeMs: number },
): AuthorizationAnswer {
  if (fate === "approved") return { outcome: "approved" };
  const askAgainAtMs = request.atMs + options.processingTimeMs;
  return { outcome: "processing", reference: fate, askAgainAtMs };
}
