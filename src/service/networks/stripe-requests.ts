import { randomUUID } from "node:crypto";
import { Stripe } from "stripe";
import type * as z from "zod";
import type { CardInput } from "../../contract/payment.ts";
import type { Charge } from "../ports/card-network.ts";
import { replayedHeader, createStripeHttpClient } from "./stripe-http-client.ts";
import {
  assertIsOwn,
  assertIsRefundOf,
  canceledAnswer,
  intentAnswer,
  namedAnswer,
  namedIntent,
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

/**
 * What is asked of Stripe. Errors: those of the library, of zod where an answer is none, and MismatchedAnswer
 * where it is about another intent than the charge's.
 */
export function createStripeRequests(settings: StripeSettings) {
  const { secretKey, version, baseUrl = "https://api.stripe.com", timeoutMs = 10_000 } = settings;
  const httpClient = createStripeHttpClient(baseUrl);
  const stripe = new Stripe(secretKey, {
    apiVersion: Stripe.API_VERSION,
    appInfo: { name: "payments", version },
    httpClient,
    maxNetworkRetries: 0, // the service asks again by itself
    telemetry: false,
    timeout: timeoutMs,
  });

  async function retrieve(charge: Charge, intentId: string): Promise<Intent> {
    const intent = await stripe.paymentIntents.retrieve(intentId, { expand });
    return parseIntent(intentAnswer, { ...charge, reference: intentId }, intent);
  }

  return {
    retrieve,

    /** Makes the intent of a charge, without a card; gives its id. */
    create: async (charge: Charge): Promise<string> => {
      const { id, amount, currency, description } = charge;
      const intent = await stripe.paymentIntents.create(
        {
          amount,
          currency,
          allowed_payment_method_types: ["card"],
          metadata: { payment_id: id },
          ...(description !== null && { description }),
        },
        toIdempotencyKey(id, "intent"),
      );
      return parseIntent(namedIntent, charge, intent).id;
    },

    /** Takes the charge's amount from a card; gives the intent as it is then. */
    confirm: async (charge: Charge, intentId: string, card: CardInput): Promise<Intent> => {
      const method = await stripe.paymentMethods.create(
        { type: "card", ...toPaymentMethod(charge, card) },
        toIdempotencyKey(charge.id, "card"),
      );
      const intent = await stripe.paymentIntents.confirm(
        intentId,
        { payment_method: namedAnswer.parse(method).id, expand },
        toIdempotencyKey(charge.id, "confirm"),
      );
      const isOld = intent.lastResponse.headers[replayedHeader] === "true";
      return isOld ? await retrieve(charge, intentId) : parseIntent(intentAnswer, charge, intent);
    },

    /** Sees to it that an intent takes no money any more. */
    cancel: async (
      charge: Charge,
      intentId: string,
      reason: Stripe.PaymentIntentCancelParams = {},
    ): Promise<void> => {
      const key = toRetryableKey(charge.id, "cancel");
      const intent = await stripe.paymentIntents.cancel(intentId, reason, key);
      parseIntent(canceledAnswer, { ...charge, reference: intentId }, intent);
    },

    /** Gives back what is left of a charge. */
    refund: async (charge: Charge, intentId: string): Promise<Refund> => {
      const key = toRetryableKey(charge.id, "refund");
      const refund = await stripe.refunds.create({ payment_intent: intentId }, key);
      const answer = refundAnswer.parse(refund);
      assertIsRefundOf(charge, intentId, answer);
      return answer;
    },

    close: async () => httpClient.close(),
  };
}

/** What Stripe says of the charge's own intent. */
function parseIntent<I extends z.infer<typeof namedIntent>>(
  schema: z.ZodType<I>,
  charge: Charge,
  answer: unknown,
): I {
  const intent = schema.parse(answer);
  assertIsOwn(charge, intent);
  return intent;
}

/** A key under which Stripe does a thing once, and repeats its answer, for a day. */
function toIdempotencyKey(id: string, step: string): Stripe.RequestOptions {
  return { idempotencyKey: `${id}/${step}` };
}

/**
 * A key for what Stripe does not do twice by itself, and may have to be asked for again: an intent is
 * canceled once, and no more is given back than was taken. Under the same key a failure would stay.
 */
function toRetryableKey(id: string, step: string): Stripe.RequestOptions {
  return toIdempotencyKey(id, `${step}/${randomUUID()}`);
}

/** The customer's address is left out: a card would be refused for one that Stripe finds wrong. */
function toPaymentMethod({ customer }: Charge, { holder_name, ...card }: CardInput) {
  const name = holder_name ?? customer?.name;
  return { card, ...(name && { billing_details: { name } }) };
}
