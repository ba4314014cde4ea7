import { simulatorName } from "../../contract/route.ts";
import { type DeclineCode, isDeclineCode } from "../../contract/field-values.ts";
import { isExpired, testCards } from "../../contract/card.ts";
import type { CardInput } from "../../contract/payment.ts";
import type { ChargeOutcome, LocalNetwork } from "./card-network.ts";

type Decision = "approved" | DeclineCode;

const cards = new Map(testCards.map((card) => [card.number, card]));

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
      if (decision === "approved") return toApproval(card);
      return decision === "authentication_required" && returnUrl !== null
        ? toChallenge(returnUrl)
        : // The code is kept as the reference, because the card number is stored nowhere.
          { outcome: "processing", reference: decision, retryAfterMs: options.processingTimeMs };
    },
    lookUp: async ({ reference, returnUrl }) => {
      if (reference === approved.reference) return approved;
      if (reference !== null && hasSpecialRefund(reference)) return { ...approved, reference };
      if (reference === challengeReference && returnUrl !== null) return toChallenge(returnUrl);
      const isKnown = reference !== null && isDeclineCode(reference);
      return { outcome: "declined", code: isKnown ? reference : "processing_error" };
    },
    cancel: async () => ({ outcome: "canceled" }),
    refund: async ({ reference }) => {
      if (reference === references.declinedRefund) {
        return { outcome: "declined", code: "generic_decline" };
      }
      // It is asked again when the time is over.
      return reference === references.slowRefund
        ? {
            outcome: "processing",
            reference: references.refundUnderWay,
            retryAfterMs: options.processingTimeMs,
          }
        : { outcome: "refunded", reference: approved.reference };
    },
    hasSpecialRefund,
    endChallenge: (isApproved) =>
      isApproved ? approved : { outcome: "declined", code: "authentication_required" },
  };
}

const approved = { outcome: "approved", reference: "simulated" } as const;
const challengeReference = "challenge";
/** The outcome of a later refund is kept as the charge's reference, because the card number is stored nowhere. */
const references = {
  declinedRefund: "refund_declined",
  slowRefund: "refund_slow",
  refundUnderWay: "refund_under_way",
} as const;
/** Only the customer decides, on the challenge page; later than any challenge lasts, it is looked up. */
const challengeRetryMs = 60 * 60 * 1_000;

/** The challenge page is the service's own, beside the address that a bank would return to. */
function toChallenge(returnUrl: string): ChargeOutcome {
  const url = returnUrl.replace(/return$/, "challenge");
  return { outcome: "action", reference: challengeReference, url, retryAfterMs: challengeRetryMs };
}

function decide(card: CardInput, atMs: number, otherCards: Decision): Decision {
  const outcome = cards.get(card.number)?.outcome ?? otherCards;
  const decision = outcome === "succeeded" ? "approved" : outcome;
  return decision === "approved" && isExpired(card, atMs / 1000) ? "expired_card" : decision;
}

function hasSpecialRefund(reference: string | null): boolean {
  return reference === references.declinedRefund || reference === references.slowRefund;
}

function toApproval({ number }: CardInput): ChargeOutcome {
  switch (cards.get(number)?.refund) {
    case "declined":
      return { ...approved, reference: references.declinedRefund };
    case "slow":
      return { ...approved, reference: references.slowRefund };
    default:
      return approved;
  }
}
