import { setTimeout as delay } from "node:timers/promises";
import type * as z from "zod";
import type { ReportQuery } from "../contract/account.ts";
import type {
  Delivery,
  ListAllDeliveriesQuery,
  ListDeliveriesQuery,
  RecoverEndpointBody,
} from "../contract/delivery.ts";
import type { Event, ListEventsQuery } from "../contract/event.ts";
import { atBank, progressHeader } from "../contract/route.ts";
import type { ListPaymentsQuery } from "../contract/list-payments.ts";
import type {
  reportDeliveryBody,
  startListenerBody,
  takeDeliveriesBody,
} from "../contract/listener.ts";
import type { ListRequestsQuery, LoggedRequest } from "../contract/logged-request.ts";
import type { Payment, createHostedBody, createPaymentBody } from "../contract/payment.ts";
import type { FaultInput, NewSandboxAccount } from "../contract/sandbox.ts";
import type {
  ListEndpointsQuery,
  WebhookEndpoint,
  createEndpointBody,
  rollEndpointBody,
  updateEndpointBody,
} from "../contract/webhook-endpoint.ts";
import { isJsonObject } from "../runtime/text.ts";
import { type OptionRules, checkOptions, isAtLeast, optional } from "../runtime/options.ts";
import { withTimeout } from "../runtime/promises.ts";
import { computeBackoff } from "../runtime/time.ts";
import { listCalls } from "./list-pages.ts";
import {
  type Call,
  type CallOptions,
  type Connection,
  type RefundOptions,
  type WriteOptions,
  byId,
  callOptions,
  refundOptions,
  request,
  write,
} from "./request.ts";

export type CreatePayment = z.input<typeof createPaymentBody>;
export type CreateHosted = z.input<typeof createHostedBody>;
export type CreateEndpoint = z.input<typeof createEndpointBody>;
export type UpdateEndpoint = z.input<typeof updateEndpointBody>;
export type RollEndpoint = z.input<typeof rollEndpointBody>;

export type SettledOptions = CallOptions & {
  /**
   * Called with `at_bank` when the customer of a payment page is at the bank, which asks for a confirmation (3-D
   * Secure), and with null when the customer no longer is.
   */
  onProgress?: ((progress: typeof atBank | null) => void) | undefined;
};

const settledOptions: OptionRules<SettledOptions> = {
  ...callOptions,
  onProgress: optional((value) => typeof value === "function", "a function"),
};

/** Throws a TypeError for what is no payment, such as its id alone. */
export function checkPayment(payment: unknown): void {
  if (isJsonObject(payment) && payment["object"] === "payment") return;
  throw new TypeError("payment must be a payment, as create and retrieve return it.");
}

export function paymentCalls(connection: Connection) {
  return {
    retrieve: byId(connection, "GET /v1/payments/:id"),
    ...listCalls<ListPaymentsQuery, Payment>(connection, "GET /v1/payments"),

    /**
     * GET /v1/payments/{id}/history: what happened to it, oldest first. The id of a request, an event or a delivery
     * leads to the payment that it is about.
     */
    history: async (id: string, options?: CallOptions) =>
      request(connection, "GET /v1/payments/:id/history", { params: { id } }, options),

    /** POST /v1/payments: `succeeded` at once, or `pending` where the card will be declined. */
    create: async (body: CreatePayment, options?: WriteOptions) =>
      write(connection, "POST /v1/payments", { body }, options),

    /** POST /v1/payments/hpp: `pending`, to be paid by the customer at its `redirect_url`. */
    createHosted: async (body: CreateHosted, options?: WriteOptions) =>
      write(connection, "POST /v1/payments/hpp", { body }, options),

    /** POST /v1/payments/{id}/refund: refunds the whole amount. */
    refund: async (id: string, options?: RefundOptions) =>
      write(connection, "POST /v1/payments/:id/refund", { params: { id } }, options, refundOptions),

    /** POST /v1/payments/{id}/cancel: ends a payment whose page is open; it is `failed`, `canceled`. */
    cancel: async (id: string, options?: WriteOptions) =>
      write(connection, "POST /v1/payments/:id/cancel", { params: { id } }, options),

    /**
     * Waits for a pending payment's outcome, for `timeoutMs` and, for the last response, a second more. Returns the
     * payment as it was read last, which may still be pending. `onProgress` says when its customer is at the bank.
     */
    settled: async (payment: Payment, timeoutMs = 30_000, options: SettledOptions = {}) => {
      checkPayment(payment);
      if (!isAtLeast(0)(timeoutMs)) {
        throw new TypeError("timeoutMs must be a number of milliseconds, 0 or more.");
      }
      checkOptions(options, settledOptions, "This call");
      return await waitUntilSettled(
        payment,
        async (id, { signal, ...call }) =>
          request(connection, "GET /v1/payments/:id", { params: { id }, ...call }, { signal }),
        timeoutMs,
        options,
      );
    },
  };
}

export function accountCalls(connection: Connection) {
  return {
    /** GET /v1/account: the account of the key. */
    retrieve: async (options?: CallOptions) => request(connection, "GET /v1/account", {}, options),
  };
}

export function reportCalls(connection: Connection) {
  return {
    /** GET /v1/reports/payments: by day or month, by default this month by day. `to` is excluded. */
    payments: async (query: ReportQuery = {}, options?: CallOptions) =>
      request(connection, "GET /v1/reports/payments", { query }, options),
  };
}

export function eventCalls(connection: Connection) {
  return {
    retrieve: byId(connection, "GET /v1/events/:id"),
    ...listCalls<ListEventsQuery, Event>(connection, "GET /v1/events"),

    /** POST /v1/events/{id}/resend: to one endpoint, or to all that are enabled. Returns the new deliveries. */
    resend: async (
      id: string,
      body: { endpoint?: string | undefined } = {},
      options?: WriteOptions,
    ) => write(connection, "POST /v1/events/:id/resend", { params: { id }, body }, options),
  };
}

/** The deliveries of a payment or an event to every endpoint. */
export function deliveryCalls(connection: Connection) {
  return listCalls<ListAllDeliveriesQuery, Delivery>(connection, "GET /v1/deliveries");
}

/** The requests that the service logged: those that wrote, were refused or failed. */
export function requestCalls(connection: Connection) {
  return {
    retrieve: byId(connection, "GET /v1/requests/:id"),
    ...listCalls<ListRequestsQuery, LoggedRequest>(connection, "GET /v1/requests"),
  };
}

export function endpointCalls(connection: Connection) {
  const { list } = listCalls<ListEndpointsQuery, WebhookEndpoint>(
    connection,
    "GET /v1/webhook_endpoints",
  );
  const deliveriesOf = (id: string) =>
    listCalls<ListDeliveriesQuery, Delivery>(
      connection,
      "GET /v1/webhook_endpoints/:id/deliveries",
      { id },
    );
  return {
    retrieve: byId(connection, "GET /v1/webhook_endpoints/:id"),
    list,

    /** POST /v1/webhook_endpoints: the endpoint, with its secret. */
    create: async (body: CreateEndpoint, options?: WriteOptions) =>
      write(connection, "POST /v1/webhook_endpoints", { body }, options),

    /** POST /v1/webhook_endpoints/{id}: fields that are left out do not change. */
    update: async (id: string, body: UpdateEndpoint, options?: WriteOptions) =>
      write(connection, "POST /v1/webhook_endpoints/:id", { params: { id }, body }, options),

    /** POST /v1/webhook_endpoints/{id}/roll: the endpoint, with its new secret. */
    roll: async (id: string, body: RollEndpoint = {}, options?: WriteOptions) =>
      write(connection, "POST /v1/webhook_endpoints/:id/roll", { params: { id }, body }, options),

    /** DELETE /v1/webhook_endpoints/{id} */
    delete: byId(connection, "DELETE /v1/webhook_endpoints/:id"),

    /** GET /v1/webhook_endpoints/{id}/deliveries: one page, newest first. */
    deliveries: async (id: string, query?: ListDeliveriesQuery, options?: CallOptions) =>
      deliveriesOf(id).list(query, options),

    /** GET /v1/webhook_endpoints/{id}/deliveries/{delivery}: one of them, with its tries. */
    delivery: async (id: string, delivery: string, options?: CallOptions) =>
      request(
        connection,
        "GET /v1/webhook_endpoints/:id/deliveries/:delivery",
        { params: { id, delivery } },
        options,
      ),

    /**
     * POST /v1/webhook_endpoints/{id}/recover: queues the events that it missed since a time in Unix seconds, at most
     * 10,000 of them; with `has_more` call it again.
     */
    recover: async (id: string, body: RecoverEndpointBody, options?: WriteOptions) =>
      write(
        connection,
        "POST /v1/webhook_endpoints/:id/recover",
        { params: { id }, body },
        options,
      ),

    /**
     * POST /v1/webhook_endpoints/{id}/test: sends it a test event, once, and returns the outcome, which may take 15 s.
     */
    test: async (id: string, options?: WriteOptions) =>
      write(connection, "POST /v1/webhook_endpoints/:id/test", { params: { id } }, options),

    /** Page after page of them, up to `total` deliveries. */
    deliveryPages: (
      id: string,
      query?: ListDeliveriesQuery,
      total?: number,
      options?: CallOptions,
    ) => deliveriesOf(id).pages(query, total, options),
  };
}

/** For `payments listen`. */
export function listenerCalls(connection: Connection) {
  return {
    /** POST /v1/webhook_endpoints/{id}/start: chooses where it continues. */
    start: async (
      id: string,
      body: z.input<typeof startListenerBody> = {},
      options?: CallOptions,
    ) =>
      request(
        connection,
        "POST /v1/webhook_endpoints/:id/start",
        { params: { id }, body },
        options,
      ),

    /** POST /v1/webhook_endpoints/{id}/take: its deliveries, as soon as there are any. */
    take: async (
      id: string,
      body: z.input<typeof takeDeliveriesBody> = {},
      options?: CallOptions,
    ) =>
      request(connection, "POST /v1/webhook_endpoints/:id/take", { params: { id }, body }, options),

    /** POST /v1/webhook_endpoints/{id}/report: the outcome of one of them. */
    report: async (id: string, body: z.input<typeof reportDeliveryBody>, options?: CallOptions) =>
      request(
        connection,
        "POST /v1/webhook_endpoints/:id/report",
        { params: { id }, body },
        options,
      ),
  };
}

const backoff = { minMs: 100, maxMs: 2_000, factor: 1.5 };
/** The last response may take a little longer than the time to wait. */
const graceMs = 1_000;

/**
 * Reads a payment, less and less often, until it is no longer pending or the time is over; returns it as it was read
 * last. `signal` ends a pause: the next read then throws.
 */
export async function waitUntilSettled(
  payment: Payment,
  retrieve: (id: string, call: CallOptions & Pick<Call, "onHeaders">) => Promise<Payment>,
  timeoutMs: number,
  { signal, onProgress }: SettledOptions = {},
): Promise<Payment> {
  const deadlineMs = performance.now() + timeoutMs;
  const over = new AbortController();
  const end = () => over.abort(signal?.reason);
  if (signal?.aborted) end();
  signal?.addEventListener("abort", end);
  let latest = payment;
  let progress: typeof atBank | null = null;
  try {
    for (let attempt = 0; latest.status === "pending"; attempt++) {
      const leftMs = deadlineMs - performance.now();
      if (leftMs <= 0) break;
      const pauseMs = Math.min(computeBackoff(attempt, backoff), leftMs);
      await delay(pauseMs, undefined, { signal: over.signal }).catch(() => {});
      let headers: Record<string, string> = {};
      const onHeaders: Call["onHeaders"] = (received) => (headers = received);
      const read = await withTimeout(
        retrieve(payment.id, { signal: over.signal, onHeaders }),
        deadlineMs - performance.now() + graceMs,
        () => undefined,
      );
      if (!read) break;
      latest = read;
      const next = headers[progressHeader] === atBank ? atBank : null;
      if (next !== progress) onProgress?.((progress = next));
    }
    return latest;
  } finally {
    signal?.removeEventListener("abort", end);
    over.abort(); // the last request may still be under way, and would be retried
  }
}

/** The control of a sandbox; any other service answers 404. Each call needs a test key. */
export function sandboxCalls(connection: Connection) {
  // A call that is repeated must not be done twice: a lost answer is the caller's to see.
  const once = { ...connection, maxRetries: 0 };
  return {
    /** POST /sandbox/reset: everything is as at the start. */
    reset: async (options?: CallOptions) => request(once, "POST /sandbox/reset", {}, options),

    /** POST /sandbox/accounts: a new account, by its name, or with what its two keys may. */
    createAccount: async (account?: string | NewSandboxAccount, options?: CallOptions) => {
      const body = isJsonObject(account) ? account : { name: account };
      return await request(once, "POST /sandbox/accounts", { body }, options);
    },

    /** GET /sandbox/clock. */
    clock: async (options?: CallOptions) => request(connection, "GET /sandbox/clock", {}, options),

    /**
     * POST /sandbox/clock: moves the time on, by a duration such as `25h`, and returns once the work due by then is
     * done.
     */
    advance: async (duration: string, options?: CallOptions) =>
      request(once, "POST /sandbox/clock", { body: { advance: duration } }, options),

    /** The same, to a time in Unix seconds. */
    advanceTo: async (time: number, options?: CallOptions) =>
      request(once, "POST /sandbox/clock", { body: { to: time } }, options),

    /** POST /sandbox/faults: the next matching requests of the account go wrong. */
    fault: async (body: FaultInput, options?: CallOptions) =>
      request(once, "POST /sandbox/faults", { body }, options),

    /** GET /sandbox/faults: what is set, and how often each has struck. */
    faults: async (options?: CallOptions) =>
      request(connection, "GET /sandbox/faults", {}, options),

    /** DELETE /sandbox/faults. */
    clearFaults: async (options?: CallOptions) =>
      request(connection, "DELETE /sandbox/faults", {}, options),

    /** GET /sandbox/requests: the last 1,000 requests of the account, oldest first. */
    requests: async (options?: CallOptions) =>
      request(connection, "GET /sandbox/requests", {}, options),
  };
}
