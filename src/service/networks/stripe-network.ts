import { unknownCountry } from "../../contract/card.ts";
import type {
  CancelOutcome,
  CardNetwork,
  Charge,
  ChargeOutcome,
  LookUpOutcome,
  RefundOutcome,
} from "./card-network.ts";
import { genericDecline, maskOutcome } from "./network-answers.ts";
import {
  authenticationCancelReason,
  authenticationRequired,
  callStripe,
  getIntentState,
  getRefundProgress,
  isFinal,
  isMissing,
  toDeclined,
  toRefundDeclined,
  toUnknown,
  transactionsAnswer,
  type BalanceTransaction,
  type Intent,
  type Refund,
} from "./stripe-answers.ts";
import { createStripeRequests, type StripeSettings } from "./stripe-requests.ts";
import type { NetworkTransaction, PageOutcome, TransactionSource } from "./network-transactions.ts";

export type StripeNetwork = CardNetwork & {
  /** Asks about an intent that cannot exist: a look-up of a charge without one would make one. */
  probe: (charge: Charge) => Promise<LookUpOutcome>;
  close: () => Promise<void>;
};

/** Stripe stores an idempotency key for a day; within this time, which leaves a margin, a create can be repeated. */
const maxKeyAgeMs = 20 * 60 * 60 * 1000;
const retryAfterMs = 60_000;
const impossibleIntent = "pi_none";
const nothingCharged = genericDecline("nothing_was_taken");

/**
 * The operator's Stripe account. A charge is a PaymentIntent that is made without a card; a card is sent only to an
 * intent whose id is already stored as the charge's reference.
 */
export function createStripeNetwork(
  settings: StripeSettings & { clock?: () => number },
): StripeNetwork {
  const { clock = Date.now, ...connection } = settings;
  const stripe = createStripeRequests(connection);

  /** Undefined where no card was ever sent. */
  async function findIntent(charge: Charge): Promise<Intent | undefined> {
    const intentId = charge.reference ?? (await repeatCreate(charge));
    return intentId === undefined ? undefined : await stripe.retrieve(charge, intentId);
  }

  async function repeatCreate(charge: Charge): Promise<string | undefined> {
    if (clock() - charge.begunAtMs > maxKeyAgeMs) return undefined;
    try {
      return await stripe.create(charge);
    } catch (error) {
      if (isFinal(error)) return undefined;
      throw error;
    }
  }

  async function toOutcome(charge: Charge, intent: Intent): Promise<LookUpOutcome> {
    const { id: reference } = intent;
    const found = getIntentState(intent);
    switch (found.state) {
      case "declined":
        return found.decline;
      case "unconfirmed": {
        const { url } = found;
        if (url !== null && charge.returnUrl !== null) {
          return { outcome: "action", reference, url, retryAfterMs };
        }
        await stripe.cancel(charge, reference, { cancellation_reason: authenticationCancelReason });
        return authenticationRequired;
      }
      case "processing":
      case "refunding":
        return { outcome: "processing", reference, retryAfterMs };
      case "charged":
        return { outcome: "approved", reference };
      case "refunded":
        return { outcome: "canceled" };
      case "canceled":
        return found.decline ?? { outcome: "canceled" };
      default: // open
        return { outcome: "not_found" };
    }
  }

  return {
    countryOf: () => unknownCountry,

    prepare: async (charge) =>
      callStripe(async () => ({ outcome: "prepared", reference: await stripe.create(charge) })),

    charge: async (charge, card) =>
      callStripe<ChargeOutcome>(async () => {
        const { reference } = charge;
        if (reference === null)
          return { ...toUnknown("the charge has no reference"), isUnsent: true };
        const confirmed = stripe.confirm(charge, reference, card);
        const outcome = await confirmed.then(
          async (intent) => toOutcome(charge, intent),
          (error) => toDeclined(charge, error),
        );
        return outcome.outcome === "not_found" || outcome.outcome === "canceled"
          ? toUnknown(`the charge is ${outcome.outcome}`)
          : maskOutcome(outcome, card);
      }),

    lookUp: async (charge) =>
      callStripe<LookUpOutcome>(async () => {
        const intent = await findIntent(charge);
        if (!intent) return { outcome: "not_found" };
        return maskOutcome(await toOutcome(charge, intent), { last4: charge.last4 });
      }),

    cancel: async (charge) =>
      callStripe<CancelOutcome>(async () => {
        const intent = await findIntent(charge);
        if (!intent) return { outcome: "canceled" };
        const { state } = getIntentState(intent);
        switch (state) {
          case "processing":
          case "refunding":
            return { outcome: "processing", retryAfterMs };
          case "charged":
            return toCancelOutcome(await stripe.refund(charge, intent.id));
          case "refunded":
          case "canceled":
            return { outcome: "canceled" };
          default: // open, declined, unconfirmed
            await stripe.cancel(charge, intent.id);
            return { outcome: "canceled" };
        }
      }),

    refund: async (charge) =>
      callStripe<RefundOutcome>(async () => {
        const intent = await findIntent(charge);
        if (!intent) return nothingCharged;
        const found = getIntentState(intent);
        switch (found.state) {
          case "charged":
            return found.failedRefund
              ? toRefundOutcome(found.failedRefund)
              : await stripe
                  .refund(charge, intent.id)
                  .then(toRefundOutcome, (error) =>
                    toRefundDeclined({ ...charge, reference: intent.id }, error),
                  );
          case "processing":
          case "refunding":
            return { outcome: "processing", retryAfterMs };
          case "refunded":
            return toRefundOutcome(found.refund);
          default: // open, declined, unconfirmed, canceled
            return nothingCharged;
        }
      }),

    probe: async (charge) =>
      callStripe<LookUpOutcome>(async () => {
        try {
          return await toOutcome(charge, await stripe.retrieve(charge, impossibleIntent));
        } catch (error) {
          if (isMissing(error)) return { outcome: "not_found" };
          throw error;
        }
      }),

    close: async () => stripe.close(),
  };
}

function toCancelOutcome(refund: Refund): CancelOutcome {
  const progress = getRefundProgress(refund);
  if (progress === "done") return { outcome: "canceled" };
  if (progress === "pending") return { outcome: "processing", retryAfterMs };
  return toUnknown("the money could not be given back");
}

function toRefundOutcome(refund: Refund): RefundOutcome {
  const progress = getRefundProgress(refund);
  if (progress === "done") return maskOutcome({ outcome: "refunded", reference: refund.id });
  if (progress === "pending") return { outcome: "processing", retryAfterMs };
  return genericDecline("refund_failed");
}

/** The balance transactions of the operator's Stripe account. */
export function createStripeTransactions(settings: StripeSettings): TransactionSource {
  const stripe = createStripeRequests(settings);
  return {
    readPage: async (range, cursor): Promise<PageOutcome> =>
      callStripe<PageOutcome>(async () => {
        const { data, has_more: hasMore } = transactionsAnswer.parse(
          await stripe.listBalanceTransactions(range, cursor),
        );
        const next = hasMore ? (data.at(-1)?.id ?? null) : null;
        return { outcome: "listed", transactions: data.map(toTransaction), next };
      }),
    close: async () => stripe.close(),
  };
}

/**
 * The balance has the account's currency, in which a charge of another one arrives converted: what the customer paid is
 * the source's.
 */
function toTransaction(transaction: BalanceTransaction): NetworkTransaction {
  const { source: about, created, reporting_category: type } = transaction;
  const { amount, currency } =
    about?.amount !== undefined && about.currency !== undefined
      ? { amount: about.amount, currency: about.currency }
      : transaction;
  const payment = about?.payment_intent?.metadata?.payment_id || about?.metadata?.payment_id || "";
  return { payment, type, amount: Math.abs(amount), currency, created };
}
