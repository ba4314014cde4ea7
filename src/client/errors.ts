import type { ErrorCode, ErrorEnvelope } from "../contract/error.ts";
import type { DeclineCode, Mode } from "../contract/field-values.ts";

/**
 * Any failed call. `idempotencyKey` is set on writes that were sent: when their outcome is unknown, repeat the call
 * with this key.
 */
export class PaymentsError extends Error {
  override name = "PaymentsError";
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  idempotencyKey: string | undefined;
  /** How long the service asks to wait before the same call, in milliseconds. */
  retryAfterMs: number | undefined;
  /** Of a write: whether this attempt or an earlier one may have had its effect. */
  outcomeUnknown = false;

  constructor(message: string, options: { retryable: boolean; cause?: unknown }) {
    super(message, options);
    this.retryable = options.retryable;
  }
}

/** An error response of the service. What to do depends on `code`; `docUrl` explains it. */
export class ApiError extends PaymentsError {
  override name = "ApiError";
  readonly status: number;
  readonly type: string;
  /** A newer service may have more of them. */
  readonly code: ErrorCode | (string & {});
  readonly param: string | null;
  readonly declineCode: DeclineCode | (string & {}) | null;
  readonly docUrl: string;
  readonly requestId: string;
  /** Whether the request log of the key may have this request: it was authenticated. */
  readonly isLogged: boolean;

  constructor(status: number, { error }: ErrorEnvelope, { isLogged = false } = {}) {
    super(error.message, { retryable: isRetryable(status, error.code) });
    this.status = status;
    this.type = error.type;
    this.code = error.code;
    this.param = error.param;
    this.declineCode = error.decline_code;
    this.docUrl = error.doc_url;
    this.requestId = error.request_id;
    this.isLogged = isLogged;
  }
}

/** No response arrived: refused, dropped, timed out. */
export class ConnectionError extends PaymentsError {
  override name = "ConnectionError";
  /** Whether the last attempt was sent: without a connection it was not. */
  readonly sent: boolean;
  /** Whether the service was to be on this machine, where nothing listens at its port. */
  readonly nothingListens: boolean;

  constructor(message: string, cause: unknown, { sent = true, nothingListens = false } = {}) {
    super(message, { retryable: true, cause });
    this.sent = sent;
    this.nothingListens = nothingListens;
  }

  /** For a write, which its caller would otherwise repeat to be sure. */
  sayNothingWasSent(): void {
    this.message += " Nothing was sent.";
  }
}

/** The response is not from the payments API: not JSON, not of the contract, or a redirect. */
export class UnexpectedAnswerError extends PaymentsError {
  override name = "UnexpectedAnswerError";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message, { retryable: isRetryable(status, "") });
    this.status = status;
  }
}

/** The response to a test key has live data, or the other way round. None of it can be trusted. */
export class ModeMismatchError extends PaymentsError {
  override name = "ModeMismatchError";
  /** The payment that a write has made or changed in the wrong mode. */
  readonly paymentId: string | undefined;

  constructor(mode: Mode, paymentId: string | undefined) {
    const other = mode === "test" ? "live" : "test";
    super(
      `The service answered a ${mode} key with ${other} data${paymentId ? ` (${paymentId})` : ""}.`,
      { retryable: false },
    );
    this.paymentId = paymentId;
  }
}

/**
 * A payment page was not paid. `missing`: the service has no such page; `none`: the address is not that of a page, or
 * the payment has none; `live`: it takes real cards; `closed`: it is paid, canceled, expired, or being processed;
 * `refused`: its form did not take the card.
 */
export class CheckoutError extends PaymentsError {
  override name = "CheckoutError";
  readonly reason: "missing" | "none" | "live" | "closed" | "refused";

  constructor(reason: CheckoutError["reason"], message: string) {
    super(message, { retryable: false });
    this.reason = reason;
  }
}

/** A receiver of webhooks that is checked, or what counts its effect, does not respond: nothing listens there. */
export class ReceiverError extends PaymentsError {
  override name = "ReceiverError";

  constructor(message: string, cause: unknown) {
    super(message, { retryable: true, cause });
  }
}

/** The caller aborted the call; `cause` is the signal's reason. */
export class InterruptedError extends PaymentsError {
  override name = "InterruptedError";
  /** Whether a request was under way. */
  readonly sent: boolean;

  constructor(cause: unknown, { sent }: { sent: boolean }) {
    super(sent ? "Interrupted before the answer arrived." : "Interrupted.", {
      retryable: false,
      cause,
    });
    this.sent = sent;
  }
}

/** Whether an attempt may have had its effect although it ended with this error. */
export function isOutcomeUnknown(error: PaymentsError): boolean {
  if (error instanceof ApiError) return error.status >= 500;
  if (error instanceof UnexpectedAnswerError) return error.status < 400 || error.status >= 500;
  return hasNoResponse(error) && error.sent;
}

/** Whether an attempt ended without any response; then the error has whether it was sent. */
export function hasNoResponse(error: PaymentsError): error is ConnectionError | InterruptedError {
  return error instanceof ConnectionError || error instanceof InterruptedError;
}

/** Worth a retry: too many requests, a request that arrived too late, a server error, a write still in progress. */
export function isRetryable(status: number, code: string): boolean {
  return status === 408 || status === 429 || status >= 500 || code === "idempotency_key_in_use";
}
