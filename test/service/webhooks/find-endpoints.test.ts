import { describe, expect, test } from "vitest";
import type {
  UpdateEndpointBody,
  WebhookEndpoint,
} from "../../../src/contract/webhook-endpoint.ts";
import type { Store } from "../../../src/service/ports/ports.ts";
import { openNewStore, openTestService } from "../../testkit/service/open-test-service.ts";

const url = "https://shop.example/hooks";
const nothing = async () => {};

async function openWithEndpoint(store?: Store) {
  const opened = await openTestService(store && { store });
  const { service, test: scope } = opened;
  const endpoint = JSON.parse(
    (await service.createEndpoint(scope, { url })).body,
  ) as WebhookEndpoint;
  const { id } = endpoint;
  return {
    ...opened,
    id,
    update: async (body: UpdateEndpointBody, key?: string, fingerprint = "f") =>
      service.updateEndpoint(
        scope,
        { id, body },
        key === undefined ? undefined : { key, fingerprint },
      ),
    states: async () =>
      (await service.listDeliveries(scope, id, {})).items.map(({ status }) => status),
  };
}

describe("an endpoint that is disabled", () => {
  test("is queued nothing for, what waits is given up, and enabled again it starts from then", async () => {
    const { pay, update, states, time, service, id, test: scope } = await openWithEndpoint();
    await pay(scope);
    await update({ status: "disabled" });
    expect(await states()).toEqual(["failed"]);
    await pay(scope);
    expect(await states()).toEqual(["failed"]);
    time.nowMs += 1_000;
    await update({ status: "enabled" });
    await pay(scope);
    expect(await states()).toEqual(["pending", "failed"]);
    const [, given] = (await service.listDeliveries(scope, id, {})).items;
    expect(given).toMatchObject({
      next_attempt_at: null,
      last_error: "The endpoint was disabled.",
    });
  });

  test("and enabled by two at once keeps what has happened since the first", async () => {
    const real = await openNewStore();
    let meanwhile: () => Promise<unknown> = nothing;
    const store: Store = {
      ...real,
      abandonDeliveries: async (which) => {
        const between = meanwhile;
        meanwhile = nothing;
        await between();
        return await real.abandonDeliveries(which);
      },
    };
    const { pay, update, states, time, test: scope } = await openWithEndpoint(store);
    await update({ status: "disabled" });
    meanwhile = async () => {
      time.nowMs += 1_000;
      await update({ status: "enabled" });
      await pay(scope);
    };
    await update({ status: "enabled" });
    expect(await states()).toEqual(["pending"]);
  });

  test("by a request whose key another one has taken is not, and keeps what waits", async () => {
    const real = await openNewStore();
    let meanwhile: () => Promise<unknown> = nothing;
    const store: Store = {
      ...real,
      changeEndpoint: async (write) => {
        const before = meanwhile;
        meanwhile = nothing;
        await before();
        return await real.changeEndpoint(write);
      },
    };
    const { pay, update, states, service, id, test: scope } = await openWithEndpoint(store);
    await pay(scope);
    // Another process answers another request with this key, at this moment.
    const answer = { status: 200, body: "{}" };
    const taken = {
      key: "k",
      fingerprint: "g",
      response: answer,
      lockedUntilMs: 0,
      nowMs: 0,
      expiresAtMs: 2 ** 52,
    };
    meanwhile = async () => real.queueDeliveries({ scope, deliveries: [], idempotency: taken });
    await expect(update({ status: "disabled" }, "k")).rejects.toMatchObject({
      code: "idempotency_key_reused",
    });
    expect((await service.getEndpoint(scope, id)).status).toBe("enabled");
    expect(await states()).toEqual(["pending"]);
  });
});

test("what two change at once is both changed", async () => {
  const { update, service, id, test: scope } = await openWithEndpoint();
  await Promise.all([
    update({ description: "Orders" }),
    update({ events: ["payment.failed"] }),
    update({ url: `${url}/2` }),
  ]);
  expect(await service.getEndpoint(scope, id)).toMatchObject({
    description: "Orders",
    events: ["payment.failed"],
    url: `${url}/2`,
  });
});

test("a replay of a change is what was answered, whatever has become of the endpoint", async () => {
  const { update, service, id, test: scope } = await openWithEndpoint();
  const first = await update({ description: "Orders" }, "k");
  await update({ description: "Refunds" });
  expect(await update({ description: "Orders" }, "k")).toEqual({ ...first, replayed: true });
  expect((await service.getEndpoint(scope, id)).description).toBe("Refunds");
});

test("endpoints are listed newest first, page by page in both directions", async () => {
  const { service, test: scope } = await openTestService();
  const made: string[] = [];
  for (let i = 0; i < 5; i++) {
    const { body } = await service.createEndpoint(scope, { url: i % 2 ? null : url });
    made.unshift((JSON.parse(body) as WebhookEndpoint).id);
  }
  made.sort((a, b) => (a < b ? 1 : -1));
  const idsOf = async (query: object) => {
    const { items, hasMore } = await service.listEndpoints(scope, query);
    return [items.map(({ id }) => id), hasMore];
  };
  expect(await idsOf({})).toEqual([made, false]);
  expect(await idsOf({ limit: 2 })).toEqual([made.slice(0, 2), true]);
  expect(await idsOf({ limit: 2, starting_after: made[2] })).toEqual([made.slice(3), false]);
  expect(await idsOf({ limit: 2, ending_before: made[3] })).toEqual([made.slice(1, 3), true]);
  expect(await idsOf({ limit: 3, ending_before: made[3] })).toEqual([made.slice(0, 3), false]);
});

test("every endpoint is watched: until when its old secret signs, and since when nothing reached it", async () => {
  const { service, id, time, test: scope, live } = await openWithEndpoint();
  const fine = { failingSince: null, oldSecretUntil: null };
  expect(await service.watchEndpoints(scope)).toMatchObject([{ endpoint: { id, url }, ...fine }]);
  await service.rollEndpoint(scope, { id, body: { overlap_hours: 1 } });
  const oldSecretUntil = Math.floor(time.nowMs / 1000) + 3600;
  expect(await service.watchEndpoints(scope)).toMatchObject([{ ...fine, oldSecretUntil }]);
  time.nowMs += 3_600_000;
  expect(await service.watchEndpoints(scope)).toMatchObject([fine]);
  expect(await service.watchEndpoints(live)).toEqual([]);
});
