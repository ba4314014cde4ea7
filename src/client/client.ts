import { findVersionMistake } from "../contract/route.ts";
import { parseKeyMode } from "../contract/administration.ts";
import {
  checkOptions,
  hasMethods,
  isBoolean,
  isAtLeast,
  isInteger,
  isText,
  optional,
  required,
  unlessLeftOut,
  type OptionRules,
} from "../runtime/options.ts";
import { maxTimerMs } from "../runtime/promises.ts";
import {
  accountCalls,
  endpointCalls,
  eventCalls,
  listenerCalls,
  paymentCalls,
  reportCalls,
  deliveryCalls,
  requestCalls,
  sandboxCalls,
} from "./calls.ts";
import { checkoutCalls } from "./checkout-page.ts";
import type { Connection } from "./request.ts";
import { createHttpTransport, type Transport } from "../runtime/http-transport.ts";
import { assertConfidential } from "../runtime/transport-safety.ts";

export type ClientOptions = {
  /** A secret key; its prefix says the mode. */
  apiKey: string;
  /** Where the service is: an http or https URL, or a transport of another kind. */
  baseUrl: string | Transport;
  /**
   * Sends the key over plain http to another machine, where others on the way could read it. By default that is refused;
   * to this machine it is sent without.
   */
  allowHttp?: boolean | undefined;
  /** Pins an API version, `YYYY-MM-DD`. */
  serviceVersion?: string | undefined;
  /** Retries after a failure that may pass; 3 by default. */
  maxRetries?: number | undefined;
  /** For each attempt, in milliseconds; 30,000 by default. */
  timeoutMs?: number | undefined;
  /** Waits as long as a rate limit (429) says, for up to an hour each time, and counts that as no retry. */
  waitsForRateLimits?: boolean | undefined;
};

/**
 * The payments API. Every call returns the service's response, or throws a `PaymentsError`:
 * `ApiError`, `ConnectionError`, `UnexpectedAnswerError`, `ModeMismatchError`, `CheckoutError` or `InterruptedError`.
 * Arguments with which nothing could be sent are a `TypeError` that says what is right.
 */
export class PaymentsClient {
  readonly payments: ReturnType<typeof paymentCalls>;
  readonly checkout: ReturnType<typeof checkoutCalls>;
  readonly account: ReturnType<typeof accountCalls>;
  readonly reports: ReturnType<typeof reportCalls>;
  readonly events: ReturnType<typeof eventCalls>;
  readonly deliveries: ReturnType<typeof deliveryCalls>;
  readonly requests: ReturnType<typeof requestCalls>;
  readonly webhookEndpoints: ReturnType<typeof endpointCalls>;
  readonly listeners: ReturnType<typeof listenerCalls>;
  /** Only a sandbox answers these. */
  readonly sandbox: ReturnType<typeof sandboxCalls>;
  readonly #transport: Transport;
  readonly #closing = new AbortController();
  #closed: Promise<void> | undefined;

  /** Throws a `TypeError` for options with which nothing could be sent. */
  constructor(options: ClientOptions) {
    checkOptions(options, clientOptions, "PaymentsClient");
    const { apiKey, baseUrl, serviceVersion, maxRetries = 3, timeoutMs = 30_000 } = options;
    const { waitsForRateLimits = false } = options;
    this.#transport = typeof baseUrl === "object" ? baseUrl : createHttpTransport(baseUrl);
    if (typeof baseUrl === "string") {
      const isLive = parseKeyMode(apiKey) === "live";
      const { allowHttp } = options;
      assertConfidential(baseUrl, { what: "the key", option: "baseUrl", allowHttp, isLive });
    }
    const connection: Connection = {
      apiKey,
      transport: this.#transport,
      serviceVersion,
      maxRetries,
      closed: this.#closing.signal,
      timeoutMs: Math.min(timeoutMs, maxTimerMs),
      waitsForRateLimits,
    };
    this.payments = paymentCalls(connection);
    this.checkout = checkoutCalls(connection);
    this.account = accountCalls(connection);
    this.reports = reportCalls(connection);
    this.events = eventCalls(connection);
    this.deliveries = deliveryCalls(connection);
    this.requests = requestCalls(connection);
    this.webhookEndpoints = endpointCalls(connection);
    this.listeners = listenerCalls(connection);
    this.sandbox = sandboxCalls(connection);
  }

  /** Closes the connections, once however often it is called; a later call of the API throws a `PaymentsError`. */
  async close(): Promise<void> {
    this.#closing.abort();
    await (this.#closed ??= this.#transport.close());
  }

  /** For `await using`: the same as `close`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

const clientOptions: OptionRules<ClientOptions> = {
  // A key that is read from a file easily brings the end of its line along.
  apiKey: required(
    (key) => isText(key) && /^[\x21-\x7e]*$/.test(key),
    "a string of visible ASCII characters, without spaces or line ends",
  ),
  // A value that is no text is a transport; `createHttpTransport` finds the mistakes of a text.
  baseUrl: required(
    (baseUrl) => isText(baseUrl) || hasMethods(baseUrl, "send", "close"),
    "an http or https address, such as http://127.0.0.1:8402, as text (of a URL its href), or a transport with the methods send and close",
  ),
  allowHttp: optional(isBoolean, "true or false"),
  serviceVersion: unlessLeftOut((date, name) => {
    const mistake = findVersionMistake(isText(date) ? date : "");
    return mistake && `${name} ${mistake}.`;
  }),
  maxRetries: optional(
    (count) => isInteger(0)(count) || count === Number.POSITIVE_INFINITY,
    "a whole number, 0 or more",
  ),
  timeoutMs: optional(isAtLeast(Number.MIN_VALUE), "a number of milliseconds, more than 0"),
  waitsForRateLimits: optional(isBoolean, "true or false"),
};
