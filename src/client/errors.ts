import type { ErrorCode, ErrorEnvelope } from "../contract/error.ts";
import type { Mode } from "../contract/key.ts";
import type { DeclineCode } from "../contract/payment-values.ts";

/**
 * Any failed call. `idempotencyKey` is set on writes of which something was sent: when their outcome is
 * unknown, the same call with this key does no harm.
 */
export class PaymentsError extends Error {
  override name = "PaymentsError";
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  idempotencyKey: string | undefined;
  /** How long the service asks to wait before the same call, in milliseconds, where it says so. */
  retryAfterMs: number | undefined;
  /** Of a write: whether it may have happened all the same, at this try or an earlier one. */
  outcomeUnknown = false;

  constructor(message: string, options: { retryable: boolean; cause?: unknown }) {
    super(message, options);
    this.retryable = options.retryable;
  }
}

/** The service answered with an error. What to do depends on `code`; `docUrl` explains it. */
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

  constructor(status: number, { error }: ErrorEnvelope) {
    super(error.message, { retryable: isRetryable(status, error.code) });
    this.status = status;
    this.type = error.type;
    this.code = error.code;
    this.param = error.param;
    this.declineCode = error.decline_code;
    this.docUrl = error.doc_url;
    this.requestId = error.request_id;
  }
}

/** No answer arrived: refused, dropped, timed out. */
export class ConnectionError extends PaymentsError {
  override name = "ConnectionError";
  /** Whether the last try got as far as sending: without a connection it did not. */
  readonly sent: boolean;

  constructor(message: string, cause: unknown, { sent = true } = {}) {
    super(message, { retryable: true, cause });
    this.sent = sent;
  }

  /** For a write, which somebody would otherwise have to repeat to be sure. */
  sayNothingWasSent(): void {
    this.message += " Nothing was sent.";
  }
}

/** What arrived is no answer of the payments API: not JSON, not of the contract, or a redirect. */
export class UnexpectedAnswerError extends PaymentsError {
  override name = "UnexpectedAnswerError";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message, { retryable: isRetryable(status, "") });
    this.status = status;
  }
}

/** A test key was answered with live data, or the other way round. Nothing of it can be trusted. */
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

/** The caller gave the call up; `cause` is the signal's reason. */
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

/** Whether a try may have done its work although it ended with this error. */
export function isOutcomeUnknown(error: PaymentsError): boolean {
  if (error instanceof ApiError) return error.status >= 500;
  if (error instanceof UnexpectedAnswerError) return error.status < 400 || error.status >= 500;
  return isUnanswered(error) && error.sent;
}

/** Whether a try ended without any answer; then the error tells whether it was sent. */
export function isUnanswered(error: PaymentsError): error is ConnectionError | InterruptedError {
  return error instanceof ConnectionError || error instanceof InterruptedError;
}

/**
 * Worth another try: too many requests, a request that did not arrive in time, a fault of the service,
 * or a first try still under way.
 */
export function isRetryable(status: number, code: string): boolean {
  return status === 408 || status === 429 || status >= 500 || code === "idempotency_key_in_use";
}
