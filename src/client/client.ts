import type * as z from "zod";
import type {
  Delivery,
  DeliveryList,
  ListDeliveriesQuery,
  reportDeliveryBody,
  startListenerBody,
  takeDeliveriesBody,
  TakenList,
} from "../contract/delivery.ts";
import type { Event, EventList, ListEventsQuery } from "../contract/event.ts";
import { idempotencyKeyMistake, versionMistake } from "../contract/headers.ts";
import type { createHostedBody } from "../contract/hosted.ts";
import type { KeyAccount } from "../contract/key-account.ts";
import type { ListPaymentsQuery, PaymentList } from "../contract/list.ts";
import type { createPaymentBody, Payment } from "../contract/payment.ts";
import { routes, type Answers, type Route } from "../contract/routes.ts";
import type {
  createEndpointBody,
  DeletedEndpoint,
  EndpointList,
  ListEndpointsQuery,
  rollEndpointBody,
  updateEndpointBody,
  WebhookEndpoint,
} from "../contract/webhook-endpoint.ts";
import { inOrder, pages } from "./pages.ts";
import { request, type Call, type Connection } from "./request.ts";
import { httpTransport, type Transport } from "./transport.ts";
import { longestTimerMs } from "../contract/time-limit.ts";
import { waitUntilSettled } from "./wait.ts";

export type ClientOptions = {
  /** A secret key; its prefix says the mode. */
  apiKey: string;
  /** Where the service is: an http or https URL, or a transport of another kind. */
  baseUrl: string | Transport;
  /** Pins an API version, `YYYY-MM-DD`. */
  serviceVersion?: string | undefined;
  /** Further tries after a failure that may pass; 3 by default. */
  maxRetries?: number | undefined;
  /** For each try, in milliseconds; 30,000 by default. */
  timeoutMs?: number | undefined;
};

export type CreatePayment = z.input<typeof createPaymentBody>;
export type CreateHosted = z.input<typeof createHostedBody>;
export type CreateEndpoint = z.input<typeof createEndpointBody>;
export type UpdateEndpoint = z.input<typeof updateEndpointBody>;
export type RollEndpoint = z.input<typeof rollEndpointBody>;
export type CallOptions = {
  /** Gives the call up: it ends with an `InterruptedError`, and what was sent may have happened. */
  signal?: AbortSignal | undefined;
};
export type WriteOptions = CallOptions & {
  /** Names the write, so that it happens once however often it is sent; a UUIDv4 by default. */
  idempotencyKey?: string | undefined;
};

/**
 * The payments API. Every call gives what the service answered, or throws a `PaymentsError`:
 * `ApiError`, `ConnectionError`, `UnexpectedAnswerError`, `ModeMismatchError` or `InterruptedError`. A
 * `baseUrl` that is no URL, and an `idempotencyKey` of other than 1 to 255 visible ASCII characters, are a
 * `TypeError`.
 */
export class PaymentsClient {
  readonly #connection: Connection;
  readonly #closing = new AbortController();

  /** Throws a `TypeError` for options under which nothing could be sent, or no answer be waited for. */
  constructor(options: ClientOptions) {
    const { apiKey, baseUrl, serviceVersion, maxRetries = 3, timeoutMs = 30_000 } = options;
    const mistake = optionsMistake({ apiKey, serviceVersion, timeoutMs });
    if (mistake !== undefined) throw new TypeError(mistake);
    this.#connection = {
      apiKey,
      transport: typeof baseUrl === "object" ? baseUrl : httpTransport(baseUrl),
      serviceVersion,
      maxRetries,
      closed: this.#closing.signal,
      timeoutMs: Math.min(timeoutMs, longestTimerMs),
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
    retrieve: async (id: string, { signal }: CallOptions = {}): Promise<Payment> =>
      request(this.#connection, routes.getPayment, { params: { id }, signal }),

    /** GET /v1/payments: one page, newest first. */
    list: async (
      query: ListPaymentsQuery = {},
      { signal }: CallOptions = {},
    ): Promise<PaymentList> => request(this.#connection, routes.listPayments, { query, signal }),

    /** POST /v1/payments/{id}/refund: gives the whole amount back. */
    refund: async (id: string, options: WriteOptions = {}): Promise<Payment> =>
      this.#write(routes.refundPayment, { params: { id } }, options),

    /**
     * Page after page from `query` on, up to `total` payments: older ones, or with `ending_before`
     * newer and newer ones.
     */
    pages: (
      query: ListPaymentsQuery = {},
      total?: number,
      options?: CallOptions,
    ): AsyncGenerator<PaymentList> =>
      pages(query, async (next) => this.payments.list(next, options), total),

    /** Every payment of those pages, in the order of travel. */
    all: (query: ListPaymentsQuery = {}, options?: CallOptions): AsyncGenerator<Payment> =>
      inOrder(this.payments.pages(query, undefined, options), query),

    /**
     * Waits for a pending payment's outcome, for `timeoutMs`, and for the last answer a second more; gives
     * the payment as it was seen last, which may still be pending.
     */
    settled: async (
      payment: Payment,
      timeoutMs = 30_000,
      { signal }: CallOptions = {},
    ): Promise<Payment> => {
      const over = new AbortController();
      const given = AbortSignal.any([over.signal, ...(signal ? [signal] : [])]);
      const retrieve = async (id: string) => this.payments.retrieve(id, { signal: given });
      try {
        return await waitUntilSettled(payment, retrieve, timeoutMs, signal);
      } finally {
        over.abort(); // the last question may still be under way, and would be asked again
      }
    },
  };

  readonly account = {
    /** GET /v1/account: the key's own. */
    retrieve: async ({ signal }: CallOptions = {}): Promise<KeyAccount> =>
      request(this.#connection, routes.getAccount, { signal }),
  };

  readonly events = {
    /** GET /v1/events/{id} */
    retrieve: async (id: string, { signal }: CallOptions = {}): Promise<Event> =>
      request(this.#connection, routes.getEvent, { params: { id }, signal }),

    /** GET /v1/events: one page, newest first. */
    list: async (query: ListEventsQuery = {}, { signal }: CallOptions = {}): Promise<EventList> =>
      request(this.#connection, routes.listEvents, { query, signal }),

    /** POST /v1/events/{id}/resend: to one endpoint, or to all that are enabled; the deliveries that were queued. */
    resend: async (
      id: string,
      body: { endpoint?: string | undefined } = {},
      options: WriteOptions = {},
    ): Promise<DeliveryList> => this.#write(routes.resendEvent, { params: { id }, body }, options),

    /** Page after page from `query` on, up to `total` events, as `payments.pages`. */
    pages: (
      query: ListEventsQuery = {},
      total?: number,
      options?: CallOptions,
    ): AsyncGenerator<EventList> =>
      pages(query, async (next) => this.events.list(next, options), total),

    /** Every event of those pages, in the order of travel. */
    all: (query: ListEventsQuery = {}, options?: CallOptions): AsyncGenerator<Event> =>
      inOrder(this.events.pages(query, undefined, options), query),
  };

  readonly webhookEndpoints = {
    /** POST /v1/webhook_endpoints: the endpoint, with its secret. */
    create: async (body: CreateEndpoint, options: WriteOptions = {}): Promise<WebhookEndpoint> =>
      this.#write(routes.createEndpoint, { body }, options),

    /** GET /v1/webhook_endpoints/{id} */
    retrieve: async (id: string, { signal }: CallOptions = {}): Promise<WebhookEndpoint> =>
      request(this.#connection, routes.getEndpoint, { params: { id }, signal }),

    /** GET /v1/webhook_endpoints: one page, newest first. */
    list: async (
      query: ListEndpointsQuery = {},
      { signal }: CallOptions = {},
    ): Promise<EndpointList> => request(this.#connection, routes.listEndpoints, { query, signal }),

    /** POST /v1/webhook_endpoints/{id}: what is left out stays as it is. */
    update: async (
      id: string,
      body: UpdateEndpoint,
      options: WriteOptions = {},
    ): Promise<WebhookEndpoint> =>
      this.#write(routes.updateEndpoint, { params: { id }, body }, options),

    /** POST /v1/webhook_endpoints/{id}/roll: the endpoint, with its new secret. */
    roll: async (
      id: string,
      body: RollEndpoint = {},
      options: WriteOptions = {},
    ): Promise<WebhookEndpoint> =>
      this.#write(routes.rollEndpoint, { params: { id }, body }, options),

    /** DELETE /v1/webhook_endpoints/{id} */
    delete: async (id: string, { signal }: CallOptions = {}): Promise<DeletedEndpoint> =>
      request(this.#connection, routes.deleteEndpoint, { params: { id }, signal }),

    /** GET /v1/webhook_endpoints/{id}/deliveries: one page, newest first. */
    deliveries: async (
      id: string,
      query: ListDeliveriesQuery = {},
      { signal }: CallOptions = {},
    ): Promise<DeliveryList> =>
      request(this.#connection, routes.listDeliveries, { params: { id }, query, signal }),

    /** Page after page of them, up to `total` deliveries. */
    deliveryPages: (
      id: string,
      query: ListDeliveriesQuery = {},
      total?: number,
      options?: CallOptions,
    ): AsyncGenerator<DeliveryList> =>
      pages(query, async (next) => this.webhookEndpoints.deliveries(id, next, options), total),
  };

  /** What `payments listen` asks of an endpoint without an address. */
  readonly listeners = {
    /** POST /v1/webhook_endpoints/{id}/start: where it goes on from. */
    start: async (
      id: string,
      body: z.input<typeof startListenerBody> = {},
      { signal }: CallOptions = {},
    ): Promise<WebhookEndpoint> =>
      request(this.#connection, routes.startListener, { params: { id }, body, signal }),

    /** POST /v1/webhook_endpoints/{id}/take: its deliveries, as soon as there are any. */
    take: async (
      id: string,
      body: z.input<typeof takeDeliveriesBody> = {},
      { signal }: CallOptions = {},
    ): Promise<TakenList> =>
      request(this.#connection, routes.takeDeliveries, { params: { id }, body, signal }),

    /** POST /v1/webhook_endpoints/{id}/report: how one of them went. */
    report: async (
      id: string,
      body: z.input<typeof reportDeliveryBody>,
      { signal }: CallOptions = {},
    ): Promise<Delivery> =>
      request(this.#connection, routes.reportDelivery, { params: { id }, body, signal }),
  };

  /** Lets go of the connections; a call that is made later throws a `PaymentsError`. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#connection.transport.close();
  }

  async #write<R extends Route>(
    route: R,
    call: Pick<Call, "params" | "body">,
    { idempotencyKey = crypto.randomUUID(), signal }: WriteOptions,
  ): Promise<Answers[R["answer"]]> {
    const mistake = idempotencyKeyMistake(idempotencyKey);
    if (mistake !== undefined) throw new TypeError(`idempotencyKey ${mistake}.`);
    return await request(this.#connection, route, { ...call, idempotencyKey, signal });
  }
}

function optionsMistake({
  apiKey,
  serviceVersion,
  timeoutMs,
}: Pick<Connection, "apiKey" | "serviceVersion" | "timeoutMs">): string | undefined {
  // A key that is read from a file easily brings the end of its line along.
  if (typeof apiKey !== "string" || /[^\x21-\x7e]/.test(apiKey)) {
    return "apiKey must be a string of visible ASCII characters, without spaces or line ends.";
  }
  const mistake = serviceVersion === undefined ? undefined : versionMistake(serviceVersion);
  if (mistake !== undefined) return `serviceVersion ${mistake}.`;
  return timeoutMs > 0 ? undefined : "timeoutMs must be longer than 0.";
}
