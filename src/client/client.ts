import type * as z from "zod";
import { idempotencyKeyMistake } from "../contract/headers.ts";
import type { createHostedBody } from "../contract/hosted.ts";
import type { KeyAccount } from "../contract/key-account.ts";
import type { ListPaymentsQuery, PaymentList } from "../contract/list.ts";
import type { createPaymentBody, Payment } from "../contract/payment.ts";
import { routes } from "../contract/routes.ts";
import { pages } from "./pages.ts";
import { request, type Connection } from "./request.ts";
import { httpTransport, type Transport } from "./transport.ts";
import { longestTimerMs } from "../contract/time-limit.ts";
import { waitUntilSettled } from "./wait.ts";

export type ClientOptions = {
  /** A secret key; its prefix says the mode. */
  apiKey: string;
  /** Where the service is: an http or https URL, or a transport of another kind. */
  baseUrl: string | Transport;
  /** Pins an API version, `YYYY-MM-DD`. */
  serviceVersion?: string;
  /** Further tries after a failure that may pass; 3 by default. */
  maxRetries?: number;
  /** For each try, in milliseconds; 30,000 by default. */
  timeoutMs?: number;
};

export type CreatePayment = z.input<typeof createPaymentBody>;
export type CreateHosted = z.input<typeof createHostedBody>;
export type WriteOptions = {
  /** Names the write, so that it happens once however often it is sent; a UUIDv4 by default. */
  idempotencyKey?: string;
  /** Gives the call up: it ends with an `InterruptedError`, and what was sent may have happened. */
  signal?: AbortSignal;
};

/**
 * The payments API. Every call gives what the service answered, or throws a `PaymentsError`:
 * `ApiError`, `ConnectionError`, `UnexpectedAnswerError`, `ModeMismatchError` or `InterruptedError`.
 */
export class PaymentsClient {
  readonly #connection: Connection;
  readonly #closing = new AbortController();

  constructor(options: ClientOptions) {
    const { baseUrl } = options;
    this.#connection = {
      apiKey: options.apiKey,
      transport: typeof baseUrl === "string" ? httpTransport(baseUrl) : baseUrl,
      serviceVersion: options.serviceVersion,
      maxRetries: options.maxRetries ?? 3,
      closed: this.#closing.signal,
      timeoutMs: Math.min(options.timeoutMs ?? 30_000, longestTimerMs),
    };
  }

  readonly payments = {
    /** POST /v1/payments: `succeeded` at once, or `pending` where the card will be declined. */
    create: async (body: CreatePayment, options: WriteOptions = {}): Promise<Payment> =>
      this.#write(routes.createPayment, { body }, options),

    /** POST /v1/payments/hpp: `pending`, to be paid by the customer at its `redirect_url`. */
    createHosted: async (body: CreateHosted, options: WriteOptions = {}): Promise<Payment> =>
      this.#write(routes.createHosted, { body }, options),

    /** GET /v1/payments/{id} */
    retrieve: async (id: string): Promise<Payment> =>
      request(this.#connection, routes.getPayment, { params: { id } }),

    /** GET /v1/payments: one page, newest first. */
    list: async (query: ListPaymentsQuery = {}): Promise<PaymentList> =>
      request(this.#connection, routes.listPayments, { query }),

    /** POST /v1/payments/{id}/refund: gives the whole amount back. */
    refund: async (id: string, options: WriteOptions = {}): Promise<Payment> =>
      this.#write(routes.refundPayment, { params: { id } }, options),

    /**
     * Page after page from `query` on, up to `total` payments: older ones, or with `ending_before`
     * newer and newer ones.
     */
    pages: (query: ListPaymentsQuery = {}, total?: number): AsyncGenerator<PaymentList> =>
      pages(query, this.payments.list, total),

    /** Every payment of those pages, in the order of travel. */
    all: (query: ListPaymentsQuery = {}): AsyncGenerator<Payment> =>
      inOrder(pages(query, this.payments.list), query.ending_before !== undefined),

    /** Waits for a pending payment's outcome, for `timeoutMs` at the most. */
    settled: async (
      payment: Payment,
      timeoutMs = 30_000,
      signal?: AbortSignal,
    ): Promise<Payment> => {
      const retrieve = async (id: string) =>
        request(this.#connection, routes.getPayment, { params: { id }, signal });
      return await waitUntilSettled(payment, retrieve, timeoutMs, signal);
    },
  };

  readonly account = {
    /** GET /v1/account: the key's own. */
    retrieve: async (): Promise<KeyAccount> => request(this.#connection, routes.getAccount, {}),
  };

  /** Lets go of the connections. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#connection.transport.close();
  }

  async #write(
    route: (typeof routes)["createPayment" | "createHosted" | "refundPayment"],
    call: { params?: { id: string }; body?: unknown },
    { idempotencyKey = crypto.randomUUID(), signal }: WriteOptions,
  ): Promise<Payment> {
    const mistake = idempotencyKeyMistake(idempotencyKey);
    if (mistake !== undefined) throw new TypeError(`idempotencyKey ${mistake}.`);
    return await request(this.#connection, route, { ...call, idempotencyKey, signal });
  }
}

async function* inOrder(lists: AsyncIterable<PaymentList>, backward: boolean) {
  for await (const { data } of lists) yield* backward ? data.toReversed() : data;
}
