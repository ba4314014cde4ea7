import type { StoredDelivery } from "../../src/service/webhooks/event-types.ts";
import { nextId } from "./payment-in.ts";

/** A delivery as of an event that is sent again: it is due at `atMs`, in Unix milliseconds. */
export function queuedDelivery(endpointId: string, eventId: string, atMs: number): StoredDelivery {
  return {
    id: nextId(atMs).replace("pay_", "del_"),
    endpointId,
    eventId,
    type: "payment.succeeded",
    status: "pending",
    attempts: 0,
    dueAtMs: atMs,
    lastStatus: null,
    lastError: null,
    createdMs: atMs,
  };
}
