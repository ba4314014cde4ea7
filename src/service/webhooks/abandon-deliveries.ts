import type { AbandonedDeliveries } from "../ports/event-store.ts";
import type { Scope } from "../ports/idempotency-record.ts";
import type { Ports } from "../ports/ports.ts";
import { ServiceError } from "../domain/service-error.ts";

/** Deliveries that are given up in one write: nobody else waits for long. */
const givenUpAtOnce = 500;
/** Why what is queued for a disabled endpoint is never sent. */
export const disabledResult = { reason: "The endpoint was disabled.", isDisabled: true };

/**
 * Gives up what was queued for an endpoint before a time, or until now: what comes meanwhile stays. Error:
 * service_unavailable where that is ended before.
 */
export async function abandonDeliveries(
  { store, clock, shutdown }: Ports,
  scope: Scope,
  endpointId: string,
  {
    beforeMs = clock() + 1,
    reason,
    isDisabled = false,
    ended = shutdown,
  }: Partial<AbandonedDeliveries> & Pick<AbandonedDeliveries, "reason"> & { ended?: AbortSignal },
): Promise<void> {
  const which = { scope, endpointId, beforeMs, reason, isDisabled, limit: givenUpAtOnce };
  while ((await store.abandonDeliveries(which)) === givenUpAtOnce) {
    if (ended?.aborted) throw describeAbandoned();
  }
}

/** Long work that was ended half-way: what is left of it is done when it is asked for again. */
export function describeAbandoned(): ServiceError {
  return new ServiceError(
    "service_unavailable",
    "The service is ending. Try again after as many seconds as Retry-After says.",
  );
}
