import { randomUUID } from "node:crypto";
import { Stripe } from "stripe";
import type { CardInput } from "../../contract/payment.ts";
import type { Charge } from "../use-cases/card-network.ts";
import { replayedHeader, stripeHttpClient } from "./stripe-http-client.ts";
import {
  canceledAnswer,
  intentAnswer,
  namedAnswer,
  refundAnswer,
  type Intent,
  type Refund,
} from "./stripe-intent.ts";

export type StripeSettings = {
  secretKey: string;
  /** Of this program. */
  version: string;
  /** Without a slash at the end; Stripe's own by default. */
  baseUrl?: string;
  /** How long Stripe may take for a whole answer; 10 s by default. */
  timeoutMs?: number;
};

const expand = ["latest_charge.refunds"];

/** What is asked of Stripe. Errors: those of the library, and of zod where an answer is none. */
export function stripeRequests(settings: StripeSettings) {
  const { secretKey, version, baseUrl = "https://api.stripe.com", timeoutMs = 10_000 } = settings;
  const httpClient = stripeHttpClient(baseUrl);
  const stripe = new Stripe(secretKey, {
    apiVersion: Stripe.API_VERSION,
    appInfo: { name: "payments", version },
    httpClient,
    maxNetworkRetries: 0, // whoever asks asks again
    telemetry: false,
    timeout: timeoutMs,
  });

  async function retrieve(intentId: string): Promise<Intent> {
    return intentAnswer.parse(await stripe.paymentIntents.retrieve(intentId, { expand }));
  }

  return {
    retrieve,

    /** Makes the intent of a charge, without a card; gives its id. */
    create: async ({ id, amount, currency, description }: Charge): Promise<string> => {
      const intent = await stripe.paymentIntents.create(
        {
          amount,
          currency,
          allowed_payment_method_types: ["card"],
          metadata: { payment_id: id },
          ...(description !== null && { description }),
        },
        once(id, "intent"),
      );
      return namedAnswer.parse(intent).id;
    },

    /** Takes the charge's amount from a card; gives the intent as it is then. */
    confirm: async (charge: Charge, intentId: string, card: CardInput): Promise<Intent> => {
      const method = await stripe.paymentMethods.create(
        { type: "card", ...cardOf(charge, card) },
        once(charge.id, "card"),
      );
      const intent = await stripe.paymentIntents.confirm(
        intentId,
        { payment_method: namedAnswer.parse(method).id, expand },
        once(charge.id, "confirm"),
      );
      const isOld = intent.lastResponse.headers[replayedHeader] === "true";
      return isOld ? await retrieve(intentId) : intentAnswer.parse(intent);
    },

    /** Sees to it that an intent takes no money any more. */
    cancel: async (
      { id }: Charge,
      intentId: string,
      reason: Stripe.PaymentIntentCancelParams = {},
    ): Promise<void> => {
      const intent = await stripe.paymentIntents.cancel(intentId, reason, again(id, "cancel"));
      canceledAnswer.parse(intent);
    },

    /** Gives back what is left of a charge. */
    refund: async ({ id }: Charge, intentId: string): Promise<Refund> =>
      refundAnswer.parse(
        await stripe.refunds.create({ payment_intent: intentId }, again(id, "refund")),
      ),

    close: async () => httpClient.close(),
  };
}

/** A key under which Stripe does a thing once, and repeats its answer, for a day. */
function once(id: string, step: string): Stripe.RequestOptions {
  return { idempotencyKey: `${id}/${step}` };
}

/**
 * A key for what Stripe does not do twice by itself, and may have to be asked for again: an intent is
 * canceled once, and no more is given back than was taken. Under the same key a failure would stay.
 */
function again(id: string, step: string): Stripe.RequestOptions {
  return once(id, `${step}/${randomUUID()}`);
}

/** The customer's address is left out: a card would be refused for one that Stripe finds wrong. */
function cardOf({ customer }: Charge, { holder_name, ...card }: CardInput) {
  const name = holder_name ?? customer?.name;
  return { card, ...(name && { billing_details: { name } }) };
}
