import { maxAnswerBytes } from "../../contract/field-values.ts";
import { maskAnswer } from "../../contract/mask.ts";
import type { Scope } from "../database/scope.ts";
import type { DeliveryResult, LeasedDelivery } from "./deliveries-sql.ts";
import { type Endpoint, appendTry, buildTry, computeRetryPause } from "./delivery-state.ts";
import { disableEndpoint } from "./manage-endpoints.ts";
import type { SendOutcome, WebhooksService } from "./webhooks-service.ts";

/** How long an endpoint may fail before it is disabled. */
const maxFailingMs = 5 * 24 * 60 * 60 * 1000;

/** Notified of deliveries and disabled endpoints; it must not throw. */
export type DeliveryObserver = {
  /**
   * `retried`: another attempt follows; `failed`: none does. `attempt` is undefined where there was nothing to send.
   */
  attempted: (
    outcome: "delivered" | "retried" | "failed",
    attempt: { status: number | null; durationMs: number } | undefined,
  ) => void;
  disabled: (scope: Scope, endpointId: string, reason: "gone" | "failing") => void;
  /** The store failed; leased deliveries are due again when the lease ends. */
  broken: (error: unknown) => void;
};

/** The outcome of an attempt that had nothing to send, which does not count against the endpoint. */
export const eventPurged: SendOutcome = {
  outcome: "failed",
  status: null,
  error: "The event has expired.",
  answer: null,
};

/** An attempt that began and ended at these times, in Unix milliseconds; `endpoint` is as it was then. */
export type Attempt = {
  endpoint: Endpoint;
  delivery: LeasedDelivery;
  outcome: SendOutcome;
  startMs: number;
  endMs: number;
};

/**
 * Records the outcomes of attempts at an endpoint, in the order in which they ended, and disables an endpoint that is
 * gone or has failed for too long.
 */
export async function recordAttempts(
  service: WebhooksService,
  observe: DeliveryObserver,
  { scope, endpointId }: { scope: Scope; endpointId: string },
  attempts: readonly Attempt[],
): Promise<void> {
  if (attempts.length === 0) return;
  const results = attempts.map((attempt) => toResult(service, attempt));
  const written = await service.store.writeAttempts({ scope, endpointId, results });
  for (const [at, { delivery, status, tries, lastStatus }] of results.entries()) {
    if (!written.has(delivery.id)) continue;
    const durationMs =
      attempts[at]?.outcome === eventPurged ? undefined : tries.at(-1)?.duration_ms;
    observe.attempted(
      status === "pending" ? "retried" : status,
      typeof durationMs === "number" ? { status: lastStatus, durationMs } : undefined,
    );
  }
  for (const { endpoint, outcome } of attempts) {
    if (outcome.outcome === "delivered" || outcome === eventPurged) continue;
    const isFailing = !outcome.isGone && (await hasFailedTooLong(service, scope, endpoint));
    const reason = outcome.isGone ? "gone" : isFailing ? "failing" : undefined;
    if (reason && (await disableEndpoint(service, scope, endpoint, reason)))
      observe.disabled(scope, endpointId, reason);
  }
}

/** What becomes of a delivery after an attempt. */
function toResult(
  { webhooks, jitter }: WebhooksService,
  { delivery, outcome, startMs, endMs }: Attempt,
): DeliveryResult {
  const { status: lastStatus, error: lastError } = outcome;
  const written = { delivery, lastStatus, lastError, dueAtMs: null };
  if (outcome === eventPurged)
    return { ...written, tries: delivery.tries, status: "failed", endedMs: undefined };
  const tries = appendTry(delivery.tries, buildTry(outcome, { startMs, endMs }));
  if (outcome.outcome === "delivered")
    return { ...written, tries, status: "delivered", endedMs: endMs };
  const { retryAfterMs, isGone } = outcome;
  const pauseMs = computeRetryPause(webhooks.schedule, delivery.attempts + 1, {
    retryAfterMs,
    random: () => (jitter ?? Math.random)(`${delivery.id} ${delivery.attempts}`),
  });
  return pauseMs === undefined || isGone
    ? { ...written, tries, status: "failed", endedMs: endMs }
    : { ...written, tries, status: "pending", dueAtMs: endMs + pauseMs, endedMs: endMs };
}

/** An endpoint that had failed for too long is looked at again: another attempt may have succeeded meanwhile. */
async function hasFailedTooLong(
  { store, clock }: WebhooksService,
  scope: Scope,
  { id, failingSinceMs }: Endpoint,
): Promise<boolean> {
  const isTooLong = (sinceMs: number | null = null) =>
    sinceMs !== null && clock() - sinceMs >= maxFailingMs;
  return (
    isTooLong(failingSinceMs) && isTooLong((await store.findEndpoint(scope, id))?.failingSinceMs)
  );
}

/** More than the digits of a card and what may stand between them. */
const lookaheadBytes = 64;

/** How much of an answer has to be read, so that a card number which its end cuts is seen. */
export const readAnswerBytes = maxAnswerBytes + lookaheadBytes;

/**
 * The beginning of an answer to a webhook, as it is stored: text, in which what is not UTF-8 is replaced, without keys,
 * card numbers and the addresses of payment pages. `bytes` has as much as was read.
 */
export function toAnswerText(bytes: Uint8Array): string {
  if (bytes.length === 0) return ""; // the most frequent answer
  const text = decode(bytes.subarray(0, readAnswerBytes));
  const masked = maskAnswer(text);
  if (bytes.length <= maxAnswerBytes) return masked;
  if (masked === text) return decode(bytes.subarray(0, maxAnswerBytes));
  // Masked, it is shorter, and a number at the end may be the beginning of a card's.
  return [...masked].slice(0, -lookaheadBytes).join("").slice(0, maxAnswerBytes);
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
