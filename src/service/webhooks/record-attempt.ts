import type { Scope } from "../database/scope.ts";
import type { SendOutcome, WebhooksService } from "./webhooks-service.ts";
import type { DeliveryResult, LeasedDelivery } from "./deliveries-sql.ts";
import { appendTry, buildTry, computeNextAttempt } from "./delivery-state.ts";
import type { Endpoint } from "./endpoint-state.ts";
import { disableEndpoint } from "./manage-endpoints.ts";

/** How long an endpoint may fail before it is disabled. */
const maxFailingMs = 5 * 24 * 60 * 60 * 1000;

/** Notified of deliveries and disabled endpoints; it must not throw. */
export type DeliveryObserver = {
  /**
   * `retried`: another attempt follows; `failed`: none does. `attempt` is undefined where there was nothing to send.
   */
  ended: (
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

type Attempt = {
  scope: Scope;
  endpoint: Endpoint;
  delivery: LeasedDelivery;
  outcome: SendOutcome;
  startMs: number;
};

/** Records the outcome of an attempt, and disables an endpoint that is gone or has failed for too long. */
export async function recordAttempt(
  service: WebhooksService,
  observe: DeliveryObserver,
  { scope, endpoint, delivery, outcome, startMs }: Attempt,
): Promise<void> {
  const nowMs = service.clock();
  const made = outcome === eventPurged ? undefined : buildTry(outcome, { startMs, endMs: nowMs });
  const tries = made ? appendTry(delivery.tries, made) : delivery.tries;
  const end = async (
    label: "delivered" | "retried" | "failed",
    result: Pick<DeliveryResult, "dueAtMs" | "lastError" | "failingSinceMs">,
  ) => {
    const status = label === "retried" ? "pending" : label;
    const write = {
      scope,
      delivery,
      status,
      lastStatus: outcome.status,
      tries,
      ...result,
    } as const;
    if (!(await service.store.endDelivery(write))) return;
    observe.ended(label, made && { status: made.status, durationMs: made.duration_ms });
  };
  if (outcome.outcome === "delivered") {
    await end("delivered", { dueAtMs: null, lastError: null, failingSinceMs: null });
    return;
  }
  const { retryAfterMs, isGone, error: lastError } = outcome;
  const isEndpointAtFault = outcome !== eventPurged;
  const pauseMs = computeNextAttempt(service.webhooks.schedule, delivery.attempts + 1, {
    retryAfterMs,
    random: () => (service.jitter ?? Math.random)(`${delivery.id} ${delivery.attempts}`),
  });
  const failingSinceMs = isEndpointAtFault ? nowMs : undefined;
  if (pauseMs === undefined || !isEndpointAtFault || isGone) {
    await end("failed", { dueAtMs: null, lastError, failingSinceMs });
  } else {
    await end("retried", { dueAtMs: nowMs + pauseMs, lastError, failingSinceMs });
  }
  const isFailing = isEndpointAtFault && (await hasFailedTooLong(service, scope, endpoint));
  const reason = isGone ? "gone" : isFailing ? "failing" : undefined;
  if (reason && (await disableEndpoint(service, scope, endpoint, reason))) {
    observe.disabled(scope, endpoint.id, reason);
  }
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
