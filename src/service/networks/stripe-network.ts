import { unknownCountry } from "../../contract/card.ts";
import type {
  CancelOutcome,
  CardNetwork,
  Charge,
  ChargeOutcome,
  LookUpOutcome,
  RefundOutcome,
} from "../ports/card-network.ts";
import { genericDecline } from "./http-answers.ts";
import { maskOutcome } from "./mask-card-numbers.ts";
import {
  declinedWith,
  isLastWord,
  refundRefusedWith,
  settled,
  unknown,
} from "./stripe-failures.ts";
import {
  authenticationRequired,
  forAuthentication,
  progressOf,
  stateOf,
  type Intent,
  type Refund,
} from "./stripe-intent.ts";
import { stripeRequests, type StripeSettings } from "./stripe-requests.ts";

export type StripeNetwork = CardNetwork & { close: () => Promise<void> };

/** Stripe keeps a key for a day: in this time, which leaves a margin, a create can be repeated. */
const keysLastMs = 20 * 60 * 60 * 1000;
const askAgainInMs = 60_000;
const nothingTaken = genericDecline("nothing_was_taken");

/**
 * The operator's Stripe account. A charge is a PaymentIntent that is made without a card; a card is
 * sent to no other than one whose id is written as the charge's reference.
 */
export function stripeNetwork(settings: StripeSettings & { clock?: () => number }): StripeNetwork {
  const { clock = Date.now, ...connection } = settings;
  const stripe = stripeRequests(connection);

  /** Undefined where no card was ever sent. */
  async function intentOf(charge: Charge): Promise<Intent | undefined> {
    const intentId = charge.reference ?? (await lostIdOf(charge));
    return intentId === undefined ? undefined : await stripe.retrieve(charge, intentId);
  }

  async function lostIdOf(charge: Charge): Promise<string | undefined> {
    if (clock() - charge.begunAtMs > keysLastMs) return undefined;
    try {
      return await stripe.create(charge);
    } catch (error) {
      if (isLastWord(error)) return undefined;
      throw error;
    }
  }

  async function outcomeOf(charge: Charge, intent: Intent): Promise<LookUpOutcome> {
    const { id: reference } = intent;
    const found = stateOf(intent);
    switch (found.state) {
      case "declined":
        return found.decline;
      case "unconfirmed":
        await stripe.cancel(charge, reference, { cancellation_reason: forAuthentication });
        return authenticationRequired;
      case "processing":
      case "givingBack":
        return { outcome: "processing", reference, askAgainInMs };
      case "taken":
        return { outcome: "approved", reference };
      case "givenBack":
        return { outcome: "canceled" };
      case "canceled":
        return found.decline ?? { outcome: "canceled" };
      default: // open
        return { outcome: "unseen" };
    }
  }

  return {
    countryOf: () => unknownCountry,

    prepare: async (charge) =>
      settled(async () => ({ outcome: "prepared", reference: await stripe.create(charge) })),

    charge: async (charge, card) =>
      settled<ChargeOutcome>(async () => {
        const { reference } = charge;
        if (reference === null)
          return { ...unknown("the charge has no reference"), isUnsent: true };
        const confirmed = stripe.confirm(charge, reference, card);
        const outcome = await confirmed.then(
          async (intent) => outcomeOf(charge, intent),
          (error) => declinedWith(charge, error),
        );
        return outcome.outcome === "unseen" || outcome.outcome === "canceled"
          ? unknown(`the charge is ${outcome.outcome}`)
          : outcome;
      }),

    lookUp: async (charge) =>
      settled<LookUpOutcome>(async () => {
        const intent = await intentOf(charge);
        return intent ? await outcomeOf(charge, intent) : { outcome: "unseen" };
      }),

    cancel: async (charge) =>
      settled<CancelOutcome>(async () => {
        const intent = await intentOf(charge);
        if (!intent) return { outcome: "canceled" };
        const { state } = stateOf(intent);
        switch (state) {
          case "processing":
          case "givingBack":
            return { outcome: "processing", askAgainInMs };
          case "taken":
            return canceledBy(await stripe.refund(charge, intent.id));
          case "givenBack":
          case "canceled":
            return { outcome: "canceled" };
          default: // open, declined, unconfirmed
            await stripe.cancel(charge, intent.id);
            return { outcome: "canceled" };
        }
      }),

    refund: async (charge) =>
      settled<RefundOutcome>(async () => {
        const intent = await intentOf(charge);
        if (!intent) return nothingTaken;
        const found = stateOf(intent);
        switch (found.state) {
          case "taken":
            return found.failedRefund
              ? refundedBy(found.failedRefund)
              : await stripe
                  .refund(charge, intent.id)
                  .then(refundedBy, (error) =>
                    refundRefusedWith({ ...charge, reference: intent.id }, error),
                  );
          case "processing":
          case "givingBack":
            return { outcome: "processing", askAgainInMs };
          case "givenBack":
            return refundedBy(found.refund);
          default: // open, declined, unconfirmed, canceled
            return nothingTaken;
        }
      }),

    close: async () => stripe.close(),
  };
}

function canceledBy(refund: Refund): CancelOutcome {
  const progress = progressOf(refund);
  if (progress === "done") return { outcome: "canceled" };
  if (progress === "underWay") return { outcome: "processing", askAgainInMs };
  return unknown("the money could not be given back");
}

function refundedBy(refund: Refund): RefundOutcome {
  const progress = progressOf(refund);
  if (progress === "done") return maskOutcome({ outcome: "refunded", reference: refund.id });
  if (progress === "underWay") return { outcome: "processing", askAgainInMs };
  return genericDecline("refund_failed");
}
