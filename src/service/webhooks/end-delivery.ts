import { computeNextAttempt } from "../domain/delivery-schedule.ts";
import type { Endpoint } from "../domain/endpoint-state.ts";
import { disableEndpoint } from "./change-webhook-endpoints.ts";
import type { LeasedDelivery } from "../ports/event-store.ts";
import type { Scope } from "../ports/idempotency-record.ts";
import type { Ports } from "../ports/ports.ts";
import type { SendOutcome } from "../ports/webhook-sender.ts";

/** How long an endpoint may fail before it is disabled. */
const failsForMs = 5 * 24 * 60 * 60 * 1000;

/** Told what becomes of deliveries and endpoints; it must not throw. */
export type DeliveryObserver = {
  /** `retried`: it is tried again later; `failed`: no more. */
  ended: (outcome: "delivered" | "retried" | "failed") => void;
  disabled: (scope: Scope, endpointId: string, reason: "gone" | "failing") => void;
  /** The store failed; what was taken is taken again later. */
  broken: (error: unknown) => void;
};

type Tried = { scope: Scope; endpoint: Endpoint; delivery: LeasedDelivery; outcome: SendOutcome };

/** How a try ends that there was nothing to send for, which says nothing of its endpoint. */
export const eventGone: SendOutcome = {
  outcome: "failed",
  status: null,
  error: "The event is kept no longer.",
};

/** Writes how a try went, and disables its endpoint where there is no use in another. */
export async function endTry(
  ports: Ports,
  observe: DeliveryObserver,
  { scope, endpoint, delivery, outcome }: Tried,
): Promise<void> {
  if (outcome.outcome === "delivered") {
    const hasEnded = await ports.store.endDelivery({
      scope,
      delivery,
      status: "delivered",
      dueAtMs: null,
      lastStatus: outcome.status,
      lastError: null,
      failingSinceMs: null,
    });
    if (hasEnded) observe.ended("delivered");
    return;
  }
  const nowMs = ports.clock();
  const { retryAfterMs, isGone } = outcome;
  const isEndpointAtFault = outcome !== eventGone;
  const pauseMs = computeNextAttempt(ports.webhooks.schedule, delivery.attempts + 1, {
    retryAfterMs,
    random: Math.random,
  });
  const isLast = pauseMs === undefined || !isEndpointAtFault || isGone;
  const hasEnded = await ports.store.endDelivery({
    scope,
    delivery,
    status: isLast ? "failed" : "pending",
    dueAtMs: isLast ? null : nowMs + pauseMs,
    lastStatus: outcome.status,
    lastError: outcome.error,
    failingSinceMs: isEndpointAtFault ? nowMs : undefined,
  });
  if (hasEnded) observe.ended(isLast ? "failed" : "retried");
  const hasFailedForLong = nowMs - (endpoint.failingSinceMs ?? nowMs) >= failsForMs;
  const reason = isGone ? "gone" : hasFailedForLong && isEndpointAtFault ? "failing" : undefined;
  if (reason && (await disableEndpoint(ports, scope, endpoint, reason))) {
    observe.disabled(scope, endpoint.id, reason);
  }
}
