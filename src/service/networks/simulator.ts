import { simulatorName } from "../../contract/headers.ts";
import type { DeclineCode } from "../../contract/payment-values.ts";
import { testCards } from "../../contract/known-test-cards.ts";
import { isExpired } from "../../contract/card.ts";
import { isDeclineCode } from "../domain/decline.ts";
import type { CardInput } from "../../contract/payment.ts";
import type { ChargeOutcome } from "../domain/charge-state.ts";
import type { LocalNetwork } from "../ports/card-network.ts";

type Fate = "approved" | DeclineCode;

const fates = new Map<string, Fate>(
  testCards.map(({ number, outcome }) => [number, outcome === "succeeded" ? "approved" : outcome]),
);

/** The network of test mode: the test cards behave as published, no other card is accepted. */
export function createTestNetwork(options: { processingTimeMs: number }): LocalNetwork {
  return simulatedNetwork(options, "test_mode_live_card");
}

/**
 * The built-in network of live mode. It moves no money: test cards behave as in test mode, every
 * other card that has not expired is approved.
 */
export function createSimulatorNetwork(options: { processingTimeMs: number }): LocalNetwork {
  return simulatedNetwork(options, "approved");
}

/** A card network without a bank behind it: `other` is what becomes of cards that are no test cards. */
function simulatedNetwork(options: { processingTimeMs: number }, other: Fate): LocalNetwork {
  return {
    name: simulatorName,
    isLocal: true,
    countryOf: () => "US",
    charge: async ({ begunAtMs }, card) => answer(fateOf(card, begunAtMs, other), options),
    lookUp: async ({ reference }) => {
      if (reference === approved.reference) return approved;
      const isKnown = reference !== null && isDeclineCode(reference);
      return { outcome: "declined", code: isKnown ? reference : "processing_error" };
    },
    cancel: async () => ({ outcome: "canceled" }),
    refund: async () => ({ outcome: "refunded", reference: approved.reference }),
  };
}

const approved = { outcome: "approved", reference: "simulated" } as const;

function fateOf(card: CardInput, atMs: number, other: Fate): Fate {
  const fate = fates.get(card.number) ?? other;
  return fate === "approved" && isExpired(card, atMs / 1000) ? "expired_card" : fate;
}

/** The reference of a decline to come is its code: the number itself is not kept anywhere. */
function answer(fate: Fate, { processingTimeMs }: { processingTimeMs: number }): ChargeOutcome {
  return fate === "approved"
    ? approved
    : { outcome: "processing", reference: fate, retryAfterMs: processingTimeMs };
}
