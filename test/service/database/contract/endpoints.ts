import type { Endpoint } from "../../../../src/service/webhooks/delivery-state.ts";
import type {
  DeliveryResult,
  TriedDelivery,
} from "../../../../src/service/webhooks/deliveries-sql.ts";
import type { Range } from "../../../../src/service/database/listing.ts";
import type { Scope } from "../../../../src/service/database/scope.ts";
import type { Store } from "../../../../src/service/service.ts";
import { nextId } from "../../../testkit/database/records.ts";
import { atMs, scope } from "./writes.ts";

/** Builds an enabled endpoint for every event. */
export function endpointOf(fields: Partial<Endpoint> = {}): Endpoint {
  return {
    id: nextId(atMs).replace("pay_", "we_"),
    url: "https://shop.example/hooks",
    events: ["*"],
    description: null,
    status: "enabled",
    disabledReason: null,
    secret: "whsec_new",
    oldSecret: null,
    oldSecretUntilMs: 0,
    queuesUntilMs: Number.MAX_SAFE_INTEGER,
    failingSinceMs: null,
    lastSuccessAt: null,
    created: atMs / 1000,
    revision: 1,
    ...fields,
  };
}

/** Writes an endpoint in the next slot of its scope. */
export async function addEndpoint(store: Store, fields: Partial<Endpoint> = {}, of: Scope = scope) {
  const endpoint = endpointOf(fields);
  const slot = (await store.listEndpoints(of)).length;
  await store.createEndpoint({ scope: of, endpoint, slot, idempotency: undefined });
  return endpoint;
}

export const everything: Range = { below: "g", above: "", direction: "forward", limit: 100 };

/** All deliveries of an endpoint, those of later events first. */
export async function deliveriesOf(store: Store, { id }: Pick<Endpoint, "id">, of: Scope = scope) {
  return (await store.listDeliveries(of, id, { ...everything, below: "del_g" })).items;
}

/** Leases all due deliveries for a second. */
export async function lease(store: Store, { id }: Pick<Endpoint, "id">, nowMs = atMs, limit = 100) {
  return await store.leaseDeliveries(scope, id, { nowMs, untilMs: nowMs + 1_000, limit });
}

type Ended = DeliveryResult & { delivery: Pick<TriedDelivery, "endpointId"> };

/** An attempt that failed, and is to be repeated a minute later. */
export function failedAttempt(delivery: TriedDelivery, fields: Partial<Ended> = {}): Ended {
  return {
    delivery,
    tries: delivery.tries,
    status: "pending",
    dueAtMs: atMs + 60_000,
    lastStatus: 500,
    lastError: "It answered 500.",
    endedMs: undefined,
    ...fields,
  };
}

/** Writes the result of one attempt; returns whether that has ended it. */
export async function endDelivery(store: Store, result: Ended, of: Scope = scope) {
  const { id, endpointId } = result.delivery;
  return (await store.writeAttempts({ scope: of, endpointId, results: [result] })).has(id);
}
