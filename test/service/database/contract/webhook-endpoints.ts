import { expect } from "vitest";
import { contended, describe, test } from "./contended.ts";
import type { Endpoint } from "../../../../src/service/webhooks/delivery-state.ts";
import type { IdempotencyRecord } from "../../../../src/service/idempotency/idempotency-store.ts";
import { paymentIn } from "../../../testkit/database/records.ts";
import {
  addEndpoint,
  deliveriesOf,
  endpointOf,
  endDelivery,
  failedAttempt,
  lease,
} from "./endpoints.ts";
import type { OpenStores } from "../../../testkit/database/open-database.ts";
import { atMs, liveScope, otherAccount, scope, writeOf } from "./writes.ts";

/** The record of a request whose response is an endpoint's secret. */
function recordOf({ secret }: Endpoint, fingerprint = "f"): IdempotencyRecord {
  const response = { status: 201, body: secret };
  return {
    key: "k",
    fingerprint,
    response,
    lockedUntilMs: 0,
    nowMs: atMs,
    expiresAtMs: atMs + 1_000,
  };
}

const withoutKey = { scope, idempotency: undefined };
const conflict = { outcome: "conflict" };
const written = { outcome: "written" };

export function webhookEndpointsContract(stores: OpenStores): void {
  describe("a webhook endpoint", () => {
    test("is stored with all fields, in its account and mode", async () => {
      const store = await (await stores()).open();
      const each = [
        await addEndpoint(store, { description: "Orders", events: ["payment.failed"] }),
        await addEndpoint(store, { events: ["payment.pending", "payment.refunded"] }),
        await addEndpoint(store, { url: null, queuesUntilMs: atMs }),
        await addEndpoint(store, {
          status: "disabled",
          disabledReason: "gone",
          oldSecret: "whsec_old",
          oldSecretUntilMs: atMs,
        }),
      ];
      for (const endpoint of each) {
        expect(await store.findEndpoint(scope, endpoint.id)).toEqual(endpoint);
        for (const others of [liveScope, otherAccount]) {
          expect(await store.findEndpoint(others, endpoint.id)).toBeUndefined();
          expect(await store.deleteEndpoint(others, endpoint.id)).toBe(false);
          const change = { ...endpoint, revision: 2 };
          const changing = { ...withoutKey, scope: others, endpoint: change };
          expect(await store.changeEndpoint(changing)).toEqual(conflict);
        }
      }
      const listed = await store.listEndpoints(scope);
      expect(listed.map(({ slot }) => slot)).toEqual([3, 2, 1, 0]);
      expect(listed).toMatchObject(each.toReversed());
      expect(await store.listEndpoints(liveScope)).toEqual([]);
    });

    test("is created once for a key, with the same response", async () => {
      const store = await (await stores()).open();
      const [first, second] = [endpointOf(), endpointOf({ secret: "whsec_second" })];
      const create = async (endpoint: Endpoint, slot: number, fingerprint?: string) =>
        store.createEndpoint({
          scope,
          endpoint,
          slot,
          idempotency: recordOf(endpoint, fingerprint),
        });
      expect(await create(first, 0)).toEqual(written);
      const response = { status: 201, body: "whsec_new" };
      expect(await create(second, 1)).toEqual({ outcome: "replayed", response });
      expect(await create(second, 1, "another")).toEqual({ outcome: "mismatch", response });
      expect((await store.listEndpoints(scope)).map(({ id }) => id)).toEqual([first.id]);
    });

    contended(
      "has its own slot: of concurrent requests for a slot one gets it, and only its key is consumed",
      async () => {
        const database = await stores();
        const both = [await database.open(), await database.open()];
        const outcomes = await Promise.all(
          Array.from({ length: 8 }, async (_, i) => {
            const endpoint = endpointOf();
            const idempotency = { ...recordOf(endpoint), key: `k${i}` };
            return both[i % 2]!.createEndpoint({ scope, endpoint, slot: 3, idempotency });
          }),
        );
        const names = outcomes.map(({ outcome }) => outcome);
        expect(names.toSorted()).toEqual([...Array<string>(7).fill("conflict"), "written"]);
        expect(await both[0]!.listEndpoints(scope)).toHaveLength(1);
        for (const [i, name] of names.entries()) {
          const stored = await both[0]!.findStoredResponse(scope, `k${i}`, atMs);
          expect(stored !== undefined).toBe(name === "written");
        }
      },
    );

    test("frees its slot when it is deleted", async () => {
      const store = await (await stores()).open();
      const { id } = await addEndpoint(store);
      expect(await store.deleteEndpoint(scope, id)).toBe(true);
      expect(await store.deleteEndpoint(scope, id)).toBe(false);
      expect(await store.findEndpoint(scope, id)).toBeUndefined();
      const next = { ...withoutKey, endpoint: endpointOf(), slot: 0 };
      expect(await store.createEndpoint(next)).toEqual(written);
    });

    contended("is changed only from the revision that was read", async () => {
      const database = await stores();
      const [one, other] = [await database.open(), await database.open()];
      const endpoint = await addEndpoint(one);
      for (let revision = 2; revision < 10; revision++) {
        const mine = { ...endpoint, description: "One", revision };
        const theirs = { ...endpoint, description: "Other", revision };
        const outcomes = await Promise.all([
          one.changeEndpoint({ ...withoutKey, endpoint: mine }),
          other.changeEndpoint({ ...withoutKey, endpoint: theirs }),
        ]);
        expect(outcomes).toContainEqual(written);
        expect(outcomes).toContainEqual(conflict);
        const winner = outcomes[0].outcome === "written" ? mine : theirs;
        expect(await one.findEndpoint(scope, endpoint.id)).toEqual(winner);
      }
    });

    test("whose change conflicts stores no response", async () => {
      const store = await (await stores()).open();
      const endpoint = await addEndpoint(store);
      const late = { ...endpoint, revision: 7 };
      const idempotency = recordOf(endpoint);
      expect(await store.changeEndpoint({ scope, endpoint: late, idempotency })).toEqual(conflict);
      expect(await store.findStoredResponse(scope, "k", atMs)).toBeUndefined();
    });

    test("keeps its failing time through a change of other fields than status and address", async () => {
      const store = await (await stores()).open();
      const endpoint = await addEndpoint(store);
      await store.createPayment(() => writeOf(paymentIn("succeeded", atMs)));
      const fail = async () => {
        const [leased] = await lease(store, endpoint, atMs + 60_000);
        await endDelivery(store, failedAttempt(leased!, { endedMs: atMs }));
      };
      const change = async (fields: Partial<Endpoint>) => {
        await store.changeEndpoint({ ...withoutKey, endpoint: { ...endpoint, ...fields } });
        return (await store.findEndpoint(scope, endpoint.id))?.failingSinceMs;
      };
      await fail();
      // As it was read before it failed.
      expect(await change({ description: "Orders", revision: 2 })).toBe(atMs);
      const url = "https://shop.example/mended";
      expect(await change({ url, revision: 3 })).toBeNull();
      await fail();
      expect(await change({ url, description: "Orders", revision: 4 })).toBe(atMs);
      expect(await change({ url, status: "disabled", revision: 5 })).toBeNull();
    });

    test("of a listener is queued for until the latest time", async () => {
      const store = await (await stores()).open();
      const { id } = await addEndpoint(store, { url: null, queuesUntilMs: atMs });
      for (const untilMs of [atMs + 2, atMs + 1]) await store.extendQueueing(scope, id, untilMs);
      await store.extendQueueing(otherAccount, id, atMs + 9);
      expect((await store.findEndpoint(scope, id))?.queuesUntilMs).toBe(atMs + 2);
      const listener = { id };
      for (const nowMs of [atMs + 1, atMs + 2])
        await store.createPayment(() => writeOf(paymentIn("succeeded", nowMs), { nowMs }));
      expect((await deliveriesOf(store, listener)).map(({ createdMs }) => createdMs)).toEqual([
        atMs + 1,
      ]);
    });
  });
}
