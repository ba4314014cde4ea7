import { findVersionMistake } from "../contract/headers.ts";
import { maxTimerMs } from "../runtime/timeouts.ts";
import {
  accountCalls,
  endpointCalls,
  eventCalls,
  listenerCalls,
  paymentCalls,
  reportCalls,
  requestCalls,
} from "./calls.ts";
import { checkoutCalls } from "./checkout-page.ts";
import type { Connection } from "./request.ts";
import { sandboxCalls } from "./sandbox-calls.ts";
import { createHttpTransport, type Transport } from "./transport.ts";

export type ClientOptions = {
  /** A secret key; its prefix says the mode. */
  apiKey: string;
  /** Where the service is: an http or https URL, or a transport of another kind. */
  baseUrl: string | Transport;
  /** Pins an API version, `YYYY-MM-DD`. */
  serviceVersion?: string | undefined;
  /** Retries after a failure that may pass; 3 by default. */
  maxRetries?: number | undefined;
  /** For each attempt, in milliseconds; 30,000 by default. */
  timeoutMs?: number | undefined;
};

/**
 * The payments API. Every call returns the service's response, or throws a `PaymentsError`:
 * `ApiError`, `ConnectionError`, `UnexpectedAnswerError`, `ModeMismatchError`, `CheckoutError` or `InterruptedError`. A
 * `baseUrl` that is no URL, and an `idempotencyKey` of other than 1 to 255 visible ASCII characters, are a
 * `TypeError`.
 */
export class PaymentsClient {
  readonly payments: ReturnType<typeof paymentCalls>;
  readonly checkout: ReturnType<typeof checkoutCalls>;
  readonly account: ReturnType<typeof accountCalls>;
  readonly reports: ReturnType<typeof reportCalls>;
  readonly events: ReturnType<typeof eventCalls>;
  readonly requests: ReturnType<typeof requestCalls>;
  readonly webhookEndpoints: ReturnType<typeof endpointCalls>;
  readonly listeners: ReturnType<typeof listenerCalls>;
  /** Only a sandbox answers these. */
  readonly sandbox: ReturnType<typeof sandboxCalls>;
  readonly #transport: Transport;
  readonly #closing = new AbortController();

  /** Throws a `TypeError` for options with which nothing could be sent. */
  constructor(options: ClientOptions) {
    const { apiKey, baseUrl, serviceVersion, maxRetries = 3, timeoutMs = 30_000 } = options;
    const mistake = findOptionsMistake({ apiKey, serviceVersion, timeoutMs });
    if (mistake !== undefined) throw new TypeError(mistake);
    this.#transport = typeof baseUrl === "object" ? baseUrl : createHttpTransport(baseUrl);
    const connection: Connection = {
      apiKey,
      transport: this.#transport,
      serviceVersion,
      maxRetries,
      closed: this.#closing.signal,
      timeoutMs: Math.min(timeoutMs, maxTimerMs),
    };
    this.payments = paymentCalls(connection);
    this.checkout = checkoutCalls(connection);
    this.account = accountCalls(connection);
    this.reports = reportCalls(connection);
    this.events = eventCalls(connection);
    this.requests = requestCalls(connection);
    this.webhookEndpoints = endpointCalls(connection);
    this.listeners = listenerCalls(connection);
    this.sandbox = sandboxCalls(connection);
  }

  /** Closes the connections; a later call throws a `PaymentsError`. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#transport.close();
  }
}

function findOptionsMistake({
  apiKey,
  serviceVersion,
  timeoutMs,
}: Pick<Connection, "apiKey" | "serviceVersion" | "timeoutMs">): string | undefined {
  // A key that is read from a file easily brings the end of its line along.
  if (typeof apiKey !== "string" || /[^\x21-\x7e]/.test(apiKey)) {
    return "apiKey must be a string of visible ASCII characters, without spaces or line ends.";
  }
  const mistake = serviceVersion === undefined ? undefined : findVersionMistake(serviceVersion);
  if (mistake !== undefined) return `serviceVersion ${mistake}.`;
  return timeoutMs > 0 ? undefined : "timeoutMs must be longer than 0.";
}
