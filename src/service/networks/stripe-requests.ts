import { randomUUID } from "node:crypto";
import { Stripe } from "stripe";
import type * as z from "zod";
import {
  type TransportAnswer,
  createHttpTransport,
  describeFailure,
} from "../../runtime/http-transport.ts";
import type { CardInput } from "../../contract/payment.ts";
import { isJsonObject, tryParseJson } from "../../runtime/text.ts";
import { assertConfidential } from "../../runtime/transport-safety.ts";
import type { Charge } from "./card-network.ts";
import {
  type Intent,
  type Refund,
  assertIsOwn,
  assertIsRefundOf,
  canceledAnswer,
  intentAnswer,
  namedAnswer,
  namedIntent,
  refundAnswer,
  replayedHeader,
} from "./stripe-answers.ts";

export type StripeSettings = {
  secretKey: string;
  /** Of this program. */
  version: string;
  /** Without a slash at the end; Stripe's own by default. */
  baseUrl?: string;
  /** How long Stripe may take for a whole answer; 10 s by default. */
  timeoutMs?: number;
  /** Sends card numbers over plain http to another machine. */
  allowHttp?: boolean | undefined;
};

const expand = ["latest_charge.refunds"];

/** Stripe allows 100; with their expanded sources these stay well below the largest answer. */
const transactionsAPage = 50;

/**
 * The requests to Stripe. Errors: those of the library, of zod where an answer is invalid, and MismatchedAnswer where
 * it is about another intent.
 */
export function createStripeRequests(settings: StripeSettings) {
  const { secretKey, version, baseUrl = "https://api.stripe.com", timeoutMs = 10_000 } = settings;
  const { allowHttp } = settings;
  const option = "network.stripe.baseUrl";
  assertConfidential(baseUrl, { what: "card numbers", option, allowHttp, isLive: true });
  const httpClient = createStripeHttpClient(baseUrl);
  const stripe = new Stripe(secretKey, {
    apiVersion: Stripe.API_VERSION,
    appInfo: { name: "payments", version },
    httpClient,
    maxNetworkRetries: 0, // the service retries by itself
    telemetry: false,
    timeout: timeoutMs,
  });

  async function retrieve(charge: Charge, intentId: string): Promise<Intent> {
    const intent = await stripe.paymentIntents.retrieve(intentId, { expand });
    return parseIntent(intentAnswer, { ...charge, reference: intentId }, intent);
  }

  return {
    retrieve,

    /** Creates the intent of a charge, without a card; returns its id. */
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

    /** Charges a card; returns the intent after that. Stripe sends a customer to the bank only with a return URL. */
    confirm: async (charge: Charge, intentId: string, card: CardInput): Promise<Intent> => {
      const method = await stripe.paymentMethods.create(
        { type: "card", ...toPaymentMethod(charge, card) },
        toIdempotencyKey(charge.id, "card"),
      );
      const intent = await stripe.paymentIntents.confirm(
        intentId,
        {
          payment_method: namedAnswer.parse(method).id,
          ...(charge.returnUrl !== null && { return_url: charge.returnUrl }),
          expand,
        },
        toIdempotencyKey(charge.id, "confirm"),
      );
      const isOld = intent.lastResponse.headers[replayedHeader] === "true";
      return isOld ? await retrieve(charge, intentId) : parseIntent(intentAnswer, charge, intent);
    },

    /** Makes sure that an intent never charges the card. */
    cancel: async (
      charge: Charge,
      intentId: string,
      reason: Stripe.PaymentIntentCancelParams = {},
    ): Promise<void> => {
      const key = toRetryableKey(charge.id, "cancel");
      const intent = await stripe.paymentIntents.cancel(intentId, reason, key);
      parseIntent(canceledAnswer, { ...charge, reference: intentId }, intent);
    },

    /** Refunds the rest of a charge. */
    refund: async (charge: Charge, intentId: string): Promise<Refund> => {
      const key = toRetryableKey(charge.id, "refund");
      const refund = await stripe.refunds.create({ payment_intent: intentId }, key);
      const answer = refundAnswer.parse(refund);
      assertIsRefundOf(charge, intentId, answer);
      return answer;
    },

    /** A page of what changed the account's balance, newest first; `after` is the id that the page before ends with. */
    listBalanceTransactions: async (
      { from, to }: { from: number; to: number },
      after: string | null,
    ): Promise<unknown> =>
      stripe.balanceTransactions.list({
        created: { gte: from, lt: to },
        expand: ["data.source.payment_intent"],
        limit: transactionsAPage,
        ...(after !== null && { starting_after: after }),
      }),

    close: async () => httpClient.close(),
  };
}

function parseIntent<I extends z.infer<typeof namedIntent>>(
  schema: z.ZodType<I>,
  charge: Charge,
  answer: unknown,
): I {
  const intent = schema.parse(answer);
  assertIsOwn(charge, intent);
  return intent;
}

/** A fixed key for each step, so that Stripe does it once. */
function toIdempotencyKey(id: string, step: string): Stripe.RequestOptions {
  return { idempotencyKey: `${id}/${step}` };
}

/**
 * A new key for each attempt, for steps that Stripe never does twice: under a fixed key a failure would be repeated.
 */
function toRetryableKey(id: string, step: string): Stripe.RequestOptions {
  return toIdempotencyKey(id, `${step}/${randomUUID()}`);
}

/** The customer's email is left out, because Stripe refuses a card with an invalid one. */
function toPaymentMethod({ customer }: Charge, { holder_name, ...card }: CardInput) {
  const name = holder_name ?? customer?.name;
  return { card, ...(name && { billing_details: { name } }) };
}

const limits = { connections: 64, maxResponseBytes: 1024 * 1024 };

/**
 * Sends the library's requests on the service's transport, with limits for an answer's time and size, and without
 * redirects. Only a valid answer of Stripe reaches the library: a JSON text or number would end the process, and it
 * takes a failure without `error` for success.
 */
function createStripeHttpClient(baseUrl: string): Stripe.HttpClient & { close(): Promise<void> } {
  const transport = createHttpTransport(baseUrl, limits);
  return {
    getClientName: () => "payments",
    makeRequest: async (_host, _port, path, method, headers, body, _protocol, timeoutMs) => {
      try {
        const answer = await transport.send({
          method: method === "POST" ? "POST" : "GET",
          path,
          headers: Object.fromEntries(
            Object.entries(headers).map(([name, value]) => [name, String(value)]),
          ),
          ...(method === "POST" && { body }),
          timeoutMs,
        });
        return toResponse(answer);
      } catch (error) {
        // A new error without a code: on some codes the library retries by itself.
        throw new Error(describeFailure(error), { cause: error });
      }
    },
    close: async () => transport.close(),
  };
}

function toResponse(answer: TransportAnswer): Stripe.HttpClientResponse {
  const { status, headers } = answer;
  const value = parseBody(answer);
  // No other header: the library writes the value of one of them to standard error.
  const passedHeaders = { [replayedHeader]: headers[replayedHeader] ?? "false" };
  return {
    getStatusCode: () => status,
    getHeaders: () => passedHeaders,
    getRawResponse: () => ({ statusCode: status, headers: passedHeaders }),
    toStream: () => {
      throw new Error("Answers are not streamed.");
    },
    toJSON: async () => value,
  };
}

/** Throws where a response is no answer of Stripe. */
function parseBody({ status, body }: TransportAnswer): object {
  const value = tryParseJson(body);
  const isSuccess = status >= 200 && status < 300;
  if (isJsonObject(value) && isSuccess !== isJsonObject(value["error"])) return value;
  throw new Error(`HTTP ${status}, and no answer of Stripe's`);
}
