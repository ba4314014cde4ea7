import { parseDurationText } from "../../runtime/time.ts";
import type { LeasedDelivery } from "../ports/event-store.ts";
import type { Scope } from "../ports/idempotency-record.ts";
import type { Store } from "../ports/ports.ts";
import type { SendOutcome, WebhookSender } from "../ports/webhook-sender.ts";
import type { Fault, Faults } from "./faults.ts";

/** How long an event waits for the one that it is to follow. */
const maxReorderMs = 60_000;

const lostAnswer: SendOutcome = {
  outcome: "failed",
  status: null,
  error: "the connection was closed before the answer",
  answer: null,
};

type Postponed = Pick<LeasedDelivery, "id" | "attempts">;

/**
 * Webhooks with the faults of the sandbox. A delivery that is late or out of order is held back where deliveries are
 * leased. One that is sent twice, or whose answer is lost, goes wrong where it is sent. `postpone` makes a delivery due
 * at another time.
 */
export function createWebhookFaults(
  faults: Faults,
  now: () => number,
  postpone: (scope: Scope, delivery: Postponed, untilMs: number) => Promise<void>,
) {
  /** Deliveries that were held back once, until they end: they are not held back again. */
  const heldBack = new Set<string>();
  /** By endpoint: the delivery that waits until the next event has been delivered. */
  const reordered = new Map<string, { scope: Scope; delivery: Postponed }>();
  /** By event and address: what happens to the next attempt. */
  const attemptFaults = new Map<string, Fault["do"]>();

  async function holdBack(
    scope: Scope,
    endpoint: { id: string; url: string },
    delivery: LeasedDelivery,
  ): Promise<boolean> {
    const fault = heldBack.has(delivery.id)
      ? undefined
      : faults.strike(scope.accountId, ["webhooks"]);
    if (!fault) return false;
    if (fault.do === "duplicate" || fault.do === "lost_answer") {
      attemptFaults.set(`${delivery.eventId} ${endpoint.url}`, fault.do);
      return false;
    }
    heldBack.add(delivery.id);
    if (fault.do === "reorder") reordered.set(endpoint.id, { scope, delivery });
    const waitMs = fault.do === "reorder" ? maxReorderMs : parseDurationText(fault.for ?? "");
    await postpone(scope, delivery, now() + (waitMs ?? 0));
    return true;
  }

  return {
    /** The same store, which leases no delivery that is held back. */
    watchStore: (store: Store): Store => ({
      ...store,
      leaseDeliveries: async (scope, endpointId, due) => {
        const leased = await store.leaseDeliveries(scope, endpointId, due);
        const endpoint = leased.length > 0 && (await store.findEndpoint(scope, endpointId));
        if (!endpoint || endpoint.url === null) return leased;
        const { url } = endpoint;
        const sent: LeasedDelivery[] = [];
        for (const delivery of leased) {
          if (!(await holdBack(scope, { id: endpointId, url }, delivery))) sent.push(delivery);
        }
        return sent;
      },
      endDelivery: async (end) => {
        const hasEnded = await store.endDelivery(end);
        const { endpointId, id } = end.delivery;
        if (end.status !== "pending") heldBack.delete(id);
        const waiting = reordered.get(endpointId);
        if (end.status === "delivered" && waiting && waiting.delivery.id !== id) {
          reordered.delete(endpointId);
          await postpone(waiting.scope, waiting.delivery, now());
        }
        return hasEnded;
      },
    }),
    watchSender: (sender: WebhookSender): WebhookSender => ({
      ...sender,
      send: async (webhook) => {
        const key = `${webhook.eventId} ${webhook.url}`;
        const fault = attemptFaults.get(key);
        attemptFaults.delete(key);
        if (fault === "duplicate") await sender.send(webhook);
        const outcome = await sender.send(webhook);
        return fault === "lost_answer" ? lostAnswer : outcome;
      },
    }),
  };
}
