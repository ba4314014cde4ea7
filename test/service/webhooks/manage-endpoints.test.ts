import { describe, expect, test } from "vitest";
import type {
  UpdateEndpointBody,
  WebhookEndpoint,
} from "../../../src/contract/webhook-endpoint.ts";
import type { Store } from "../../../src/service/service.ts";
import { openStoreWith, openTestService } from "../../testkit/service/open-test-service.ts";

const url = "https://shop.example/hooks";

async function openWithEndpoint(store?: Store) {
  const opened = await openTestService(store && { store });
  const { service, test: scope } = opened;
  const { body: json } = await service.createEndpoint(scope, { url });
  const { id } = JSON.parse(json) as WebhookEndpoint;
  return {
    ...opened,
    scope,
    id,
    update: async (body: UpdateEndpointBody, key?: string) =>
      service.updateEndpoint(scope, { id, body }, key ? { key, fingerprint: "f" } : undefined),
    get: async () => service.getEndpoint(scope, id),
    listStatuses: async () =>
      (await service.listDeliveries(scope, id, {})).items.map(({ status }) => status),
  };
}

/** A store that runs `next.interrupt` before its next call of a method. */
async function openInterruptedStore(method: "abandonDeliveries" | "changeEndpoint") {
  const next: { interrupt?: () => Promise<unknown> } = {};
  const interrupt = async () => {
    const { interrupt: act } = next;
    delete next.interrupt;
    await act?.();
  };
  const store = await openStoreWith((real) => ({
    [method]: async (write: never) => {
      await interrupt();
      return await real[method](write);
    },
  }));
  return { store, next };
}

describe("a disabled endpoint", () => {
  test("gets no new deliveries, its pending ones fail, and after enabling it gets only new events", async () => {
    const t = await openWithEndpoint();
    await t.pay(t.scope);
    await t.update({ status: "disabled" });
    expect(await t.listStatuses()).toEqual(["failed"]);
    await t.pay(t.scope);
    expect(await t.listStatuses()).toEqual(["failed"]);
    t.time.nowMs += 1_000;
    await t.update({ status: "enabled" });
    await t.pay(t.scope);
    const reason = { next_attempt_at: null, last_error: "The endpoint was disabled." };
    expect((await t.service.listDeliveries(t.scope, t.id, {})).items).toMatchObject([
      { status: "pending" },
      { status: "failed", ...reason },
    ]);
  });

  test("that two requests enable keeps the deliveries since the first", async () => {
    const { store, next } = await openInterruptedStore("abandonDeliveries");
    const t = await openWithEndpoint(store);
    await t.update({ status: "disabled" });
    next.interrupt = async () => {
      t.time.nowMs += 1_000;
      await t.update({ status: "enabled" });
      await t.pay(t.scope);
    };
    await t.update({ status: "enabled" });
    expect(await t.listStatuses()).toEqual(["pending"]);
  });

  test("stays enabled, with its deliveries, if the request's idempotency key is used by another request", async () => {
    const { store, next } = await openInterruptedStore("changeEndpoint");
    const t = await openWithEndpoint(store);
    await t.pay(t.scope);
    const idempotency = {
      key: "k",
      fingerprint: "another",
      response: { status: 200, body: "{}" },
      lockedUntilMs: 0,
      nowMs: 0,
      expiresAtMs: 2 ** 52,
    };
    next.interrupt = async () =>
      store.queueDeliveries({ scope: t.scope, deliveries: [], idempotency });
    const code = "idempotency_key_reused";
    await expect(t.update({ status: "disabled" }, "k")).rejects.toMatchObject({ code });
    expect((await t.get()).status).toBe("enabled");
    expect(await t.listStatuses()).toEqual(["pending"]);
  });
});

test("concurrent changes of different fields are all applied", async () => {
  const { update, get } = await openWithEndpoint();
  const bodies: UpdateEndpointBody[] = [
    { description: "Orders" },
    { events: ["payment.failed"] },
    { url: `${url}/2` },
  ];
  await Promise.all(bodies.map(async (body) => update(body)));
  expect(await get()).toMatchObject(Object.assign({}, ...bodies));
});

test("a replay of a change gets the stored response, even if the endpoint has changed since", async () => {
  const { update, get } = await openWithEndpoint();
  const first = await update({ description: "Orders" }, "k");
  await update({ description: "Refunds" });
  expect(await update({ description: "Orders" }, "k")).toEqual({ ...first, replayed: true });
  expect((await get()).description).toBe("Refunds");
});

test("endpoints are listed newest first, page by page in both directions", async () => {
  const { service, test: scope } = await openTestService();
  const made: string[] = [];
  for (let i = 0; i < 5; i++) {
    const { body } = await service.createEndpoint(scope, { url: i % 2 ? null : url });
    made.push((JSON.parse(body) as WebhookEndpoint).id);
  }
  made.sort((a, b) => (a < b ? 1 : -1));
  const list = async (query: object) => {
    const { items, hasMore } = await service.listEndpoints(scope, query);
    return [items.map(({ id }) => id), hasMore];
  };
  expect(await list({})).toEqual([made, false]);
  expect(await list({ limit: 2 })).toEqual([made.slice(0, 2), true]);
  expect(await list({ limit: 2, starting_after: made[2] })).toEqual([made.slice(3), false]);
  expect(await list({ limit: 2, ending_before: made[3] })).toEqual([made.slice(1, 3), true]);
  expect(await list({ limit: 3, ending_before: made[3] })).toEqual([made.slice(0, 3), false]);
});

test("endpoints have the end of their old secret", async () => {
  const { service, id, time, scope, live } = await openWithEndpoint();
  const endpoint = { endpoint: { id, url, failing_since: null }, oldSecretUntil: null };
  expect(await service.listEndpointsWithHealth(scope)).toMatchObject([endpoint]);
  await service.rollEndpoint(scope, { id, body: { overlap_hours: 1 } });
  const oldSecretUntil = Math.floor(time.nowMs / 1000) + 3600;
  expect(await service.listEndpointsWithHealth(scope)).toMatchObject([
    { ...endpoint, oldSecretUntil },
  ]);
  time.nowMs += 3_600_000;
  expect(await service.listEndpointsWithHealth(scope)).toMatchObject([endpoint]);
  expect(await service.listEndpointsWithHealth(live)).toEqual([]);
});
