import { simulatorName } from "../../contract/headers.ts";
import type { DeclineCode } from "../../contract/payment-values.ts";
import { testCards } from "../../contract/known-test-cards.ts";
import { isExpired } from "../../contract/card.ts";
import { isDeclineCode } from "../domain/decline.ts";
import type { CardInput } from "../../contract/payment.ts";
import type { ChargeOutcome } from "../domain/charge-state.ts";
import type { LocalNetwork } from "../ports/card-network.ts";

type Decision = "approved" | DeclineCode;

const decisions = new Map<string, Decision>(
  testCards.map(({ number, outcome }) => [number, outcome === "succeeded" ? "approved" : outcome]),
);

/** The network of test mode: the test cards behave as published, no other card is accepted. */
export function createTestNetwork(options: { processingTimeMs: number }): LocalNetwork {
  return createLocalNetwork(options, "test_mode_live_card");
}

/**
 * The built-in network of live mode. It moves no money: test cards behave as in test mode, every
 * other card that has not expired is approved.
 */
export function createSimulatorNetwork(options: { processingTimeMs: number }): LocalNetwork {
  return createLocalNetwork(options, "approved");
}

/** A card network without a bank behind it: `otherCards` is the outcome of cards that are no test cards. */
function createLocalNetwork(
  options: { processingTimeMs: number },
  otherCards: Decision,
): LocalNetwork {
  return {
    name: simulatorName,
    isLocal: true,
    countryOf: () => "US",
    charge: async ({ begunAtMs, returnUrl }, card) => {
      const decision = decide(card, begunAtMs, otherCards);
      return decision === "authentication_required" && returnUrl !== null
        ? toChallenge(returnUrl)
        : toOutcome(decision, options);
    },
    lookUp: async ({ reference, returnUrl }) => {
      if (reference === approved.reference) return approved;
      if (reference === challengeReference && returnUrl !== null) return toChallenge(returnUrl);
      const isKnown = reference !== null && isDeclineCode(reference);
      return { outcome: "declined", code: isKnown ? reference : "processing_error" };
    },
    cancel: async () => ({ outcome: "canceled" }),
    refund: async () => ({ outcome: "refunded", reference: approved.reference }),
    endChallenge: (isApproved) =>
      isApproved ? approved : { outcome: "declined", code: "authentication_required" },
  };
}

const approved = { outcome: "approved", reference: "simulated" } as const;
const challengeReference = "challenge";
/** Only the customer decides, on the challenge page; later than any challenge lasts, it is looked up. */
const challengeRetryMs = 60 * 60 * 1_000;

/** The challenge page is the service's own, beside the address that a bank would return to. */
function toChallenge(returnUrl: string): ChargeOutcome {
  const url = returnUrl.replace(/return$/, "challenge");
  return { outcome: "action", reference: challengeReference, url, retryAfterMs: challengeRetryMs };
}

function decide(card: CardInput, atMs: number, otherCards: Decision): Decision {
  const decision = decisions.get(card.number) ?? otherCards;
  return decision === "approved" && isExpired(card, atMs / 1000) ? "expired_card" : decision;
}

/** A pending decline is stored as its code, in the reference, because the card number is stored nowhere. */
function toOutcome(
  decision: Decision,
  { processingTimeMs }: { processingTimeMs: number },
): ChargeOutcome {
  return decision === "approved"
    ? approved
    : { outcome: "processing", reference: decision, retryAfterMs: processingTimeMs };
}
