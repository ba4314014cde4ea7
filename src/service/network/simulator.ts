import type { DeclineCode } from "../../contract/payment-values.ts";
import { testCards } from "../../contract/test-cards.ts";
import { isExpired } from "../../contract/card.ts";
import { isDeclineCode } from "../domain/decline.ts";
import type { AuthorizationAnswer, Authorization, CardNetwork } from "../use-cases/ports.ts";

type Fate = "approved" | DeclineCode;

const fates = new Map<string, Fate>(
  testCards.map(({ number, outcome }) => [number, outcome === "succeeded" ? "approved" : outcome]),
);

/** The network of test mode: the test cards behave as published, no other card is accepted. */
export function testNetwork(options: { processingTimeMs: number }): CardNetwork {
  return simulatedNetwork(options, "test_mode_live_card");
}

/**
 * The built-in network of live mode. It moves no money: test cards behave as in test mode, every
 * other card that has not expired is approved.
 */
export function simulatorNetwork(options: { processingTimeMs: number }): CardNetwork {
  return simulatedNetwork(options, "approved");
}

/** A card network without a bank behind it: `other` is what becomes of cards that are no test cards. */
function simulatedNetwork(options: { processingTimeMs: number }, other: Fate): CardNetwork {
  return {
    countryOf: () => "US",
    authorize: async (request) => answer(fateOf(request, other), request, options),
    outcomeOf: async (reference) => ({
      outcome: "declined",
      code: isDeclineCode(reference) ? reference : "processing_error",
    }),
    refund: async () => {},
  };
}

function fateOf({ card, atMs }: Authorization, other: Fate): Fate {
  const fate = fates.get(card.number) ?? other;
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
