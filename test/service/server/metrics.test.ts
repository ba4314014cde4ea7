import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  createMetrics,
  settlementGauges,
  webhookGauges,
} from "../../../src/service/server/metrics.ts";
import { watchWrites } from "../../../src/service/server/watch-writes.ts";
import { Unavailable } from "../../../src/runtime/failures.ts";
import type { Store } from "../../../src/service/service.ts";
import { queryRows } from "../../../src/service/database/driver.ts";
import { openSqlite } from "../../../src/service/database/sqlite.ts";
import { bodyWith, cardWith } from "../../testkit/api-objects.ts";
import { openAppForTest, type Call } from "../../testkit/app/open-app.ts";

/** An app with metrics; `read` returns their values by name and labels. */
async function openWatched(around: (store: Store) => Store = (store) => store) {
  const metrics = createMetrics({ version: "1.2.3" });
  const opened = await openAppForTest({
    store: (real) =>
      watchWrites(metrics.store.measureStore(around(real), {}), {
        onStatus: metrics.store.countStatus,
      }),
    app: { observe: metrics.request },
  });
  const read = async () => parseMetrics((await metrics.read()).text);
  return { ...opened, metrics, read };
}

function parseMetrics(text: string): Record<string, number> {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]),
  );
}

function filterByPrefix(lines: Record<string, number>, name: string): Record<string, number> {
  return Object.fromEntries(Object.entries(lines).filter(([key]) => key.startsWith(name)));
}

const create = (fields: object, key?: string): Call => ({
  method: "POST",
  body: bodyWith(fields),
  ...(key !== undefined && { headers: { "idempotency-key": key } }),
});
const declined = { card: cardWith({ number: "4000000000000069" }) };

test("requests are counted by method, route and status, never by path", async () => {
  const { call, read } = await openWatched();
  await call({ path: "/v1/payments/pay_private" });
  await call({ path: "/v1/payments/pay_secret?private=1" });
  await call({ path: "/v1/private" });
  await call({ path: "/v1/%zz" });
  await call({ method: "PURGE", path: "/private", key: null });
  await call({ path: "/docs/errors", key: null });
  const lines = await read();
  const name = "payments_http_request_duration_seconds_count";
  expect(filterByPrefix(lines, name)).toEqual({
    [`${name}{method="GET",route="/v1/payments/:id",status="404"}`]: 1,
    [`${name}{method="GET",route="/v1/payments/:id",status="400"}`]: 1,
    [`${name}{method="GET",route="none",status="404"}`]: 1,
    [`${name}{method="GET",route="none",status="400"}`]: 1,
    [`${name}{method="other",route="none",status="404"}`]: 1,
    [`${name}{method="GET",route="/docs/errors",status="200"}`]: 1,
  });
  expect(JSON.stringify(lines)).not.toMatch(/private|secret|pay_/);
});

describe("payments", () => {
  test("are counted when they enter a status, by mode and decline code, without replays", async () => {
    const { call, service, read } = await openWatched();
    const { text } = await call(create({}, "a"));
    await call(create({}, "a"));
    await call(create({}, "b"));
    await call({ ...create({}), key: "live" });
    const { id } = JSON.parse(text) as { id: string };
    const refund = { method: "POST", path: `/v1/payments/${id}/refund` };
    await call(refund);
    expect((await call(refund)).status).toBe(422);
    await call(create({ amount: -1 }));
    await call(create(declined));
    await service.settlePayments();
    expect(filterByPrefix(await read(), "payments_transitions_total")).toEqual({
      'payments_transitions_total{mode="test",status="succeeded",decline_code="none"}': 2,
      'payments_transitions_total{mode="live",status="succeeded",decline_code="none"}': 1,
      'payments_transitions_total{mode="test",status="refunded",decline_code="none"}': 1,
      'payments_transitions_total{mode="test",status="pending",decline_code="none"}': 1,
      'payments_transitions_total{mode="test",status="failed",decline_code="expired_card"}': 1,
    });
  });

  test("that another process has written are not counted", async () => {
    let isBlind = true; // as if another process used the key after the look-up
    const { call, read } = await openWatched((store) => ({
      ...store,
      findStoredResponse: async (...of) => (isBlind ? undefined : store.findStoredResponse(...of)),
    }));
    const first = await call(create({}, "a"));
    expect(await call(create({}, "a"))).toMatchObject({ status: 201, text: first.text });
    isBlind = false;
    expect(filterByPrefix(await read(), "payments_transitions_total")).toEqual({
      'payments_transitions_total{mode="test",status="succeeded",decline_code="none"}': 1,
    });
  });

  test("on a page are counted once for each status", async () => {
    const { call, service, read } = await openWatched();
    const createPage = async () => {
      const body = { amount: 1, currency: "eur" };
      const { text } = await call({ method: "POST", path: "/v1/payments/hpp", body });
      return (JSON.parse(text) as { redirect_url: string }).redirect_url.split("/").at(-1) ?? "";
    };
    const typed = { expiry: "12/40", cvc: "123", name: "" };
    await service.payPage(await createPage(), { ...typed, number: "4242424242424242" });
    await service.payPage(await createPage(), { ...typed, number: "4000000000000002" });
    await service.cancelPage(await createPage());
    await service.settlePayments();
    expect(filterByPrefix(await read(), "payments_transitions_total")).toEqual({
      'payments_transitions_total{mode="test",status="pending",decline_code="none"}': 3,
      'payments_transitions_total{mode="test",status="succeeded",decline_code="none"}': 1,
      'payments_transitions_total{mode="test",status="failed",decline_code="generic_decline"}': 1,
      'payments_transitions_total{mode="test",status="failed",decline_code="customer_canceled"}': 1,
    });
  });
});

describe("the store", () => {
  test("is measured by operation and outcome", async () => {
    let failure: Error | undefined;
    const { call, read } = await openWatched((store) => ({
      ...store,
      findPayment: async (...of) => {
        if (failure) throw failure;
        return store.findPayment(...of);
      },
    }));
    for (failure of [undefined, new Unavailable("gone"), new Error("fault")]) {
      await call({ path: "/v1/payments/pay_x" });
    }
    const name = "payments_store_operation_duration_seconds_count";
    const lines = await read();
    for (const outcome of ["ok", "unavailable", "error"]) {
      expect(lines[`${name}{operation="findPayment",outcome="${outcome}"}`]).toBe(1);
    }
    expect(lines[`${name}{operation="createPayment",outcome="ok"}`]).toBeUndefined();
  });

  test("counts the writes of a commit", async () => {
    const { store, read } = createMetrics({ version: "1.2.3" });
    const driver = await openSqlite({ file: ":memory:", observer: store });
    onTestFinished(async () => driver.close());
    const insert = (n: number) => driver.write(() => queryRows("INSERT INTO t VALUES ($1)", [n]));
    await driver.write(() => queryRows("CREATE TABLE t (n)", []));
    await Promise.all([1, 2, 3].map(insert));
    const lines = parseMetrics((await read()).text);
    expect(lines["payments_store_commit_writes_count"]).toBe(2);
    expect(lines["payments_store_commit_writes_sum"]).toBe(4);
  });

  test("counts its connections if it has a pool", async () => {
    const { store, read } = createMetrics({ version: "1.2.3" });
    const driver = await openSqlite({ file: ":memory:" });
    onTestFinished(async () => driver.close());
    const use = { total: 5, idle: 2, waiting: 7 };
    store.measureStore({} as Store, { ...driver, pool: () => use });
    const expected = { busy: 3, idle: 2 };
    const lines = parseMetrics((await read()).text);
    expect(lines['payments_store_connections{state="busy"}']).toBe(expected.busy);
    expect(lines['payments_store_connections{state="idle"}']).toBe(expected.idle);
    expect(lines["payments_store_waiting"]).toBe(7);
  });
});

describe("the backlog", () => {
  const names = ["payments_settlements_due", "payments_settlement_oldest_due_age_seconds"];

  test("is read from the store when metrics are read", async () => {
    const { call, service, metrics, read } = await openWatched();
    metrics.watch(settlementGauges, service.measureSettlementBacklog);
    expect(await read()).toMatchObject({ payments_settlements_due: 0, payments_store_up: 1 });
    await call(create(declined));
    await delay(50);
    const lines = await read();
    expect(lines).toMatchObject({ payments_settlements_due: 1, payments_store_up: 1 });
    expect(lines["payments_settlement_oldest_due_age_seconds"]).toBeGreaterThan(0.04);
    expect(lines["payments_settlement_oldest_due_age_seconds"]).toBeLessThan(40); // seconds
  });

  test.each<[string, Store["measureBacklog"]]>([
    [
      "fails",
      async () => {
        throw new Unavailable("gone");
      },
    ],
    ["does not answer", async () => new Promise(() => {})],
  ])("is left out if the store %s, and other metrics are not", async (_, backlog) => {
    let isDown = false;
    const { call, service, metrics, read } = await openWatched((store) => ({
      ...store,
      measureBacklog: async (nowMs) => (isDown ? backlog(nowMs) : store.measureBacklog(nowMs)),
    }));
    metrics.watch(settlementGauges, service.measureSettlementBacklog);
    await read();
    await call({});
    isDown = true;
    const lines = await read();
    expect(lines["payments_store_up"]).toBe(0);
    for (const name of names) expect(lines).not.toHaveProperty(name);
    expect(Object.keys(filterByPrefix(lines, "payments_http"))).not.toHaveLength(0);
    isDown = false;
    expect(await read()).toMatchObject({ payments_settlements_due: 0, payments_store_up: 1 });
  });
});

describe("webhooks", () => {
  const count = "payments_webhook_backlog";
  const age = "payments_webhook_backlog_oldest_seconds";

  test("that wait are counted when metrics are read, and left out if the store fails", async () => {
    let isDown = false;
    const { call, service, metrics, read } = await openWatched((store) => ({
      ...store,
      measureWebhookBacklog: async (nowMs) => {
        if (isDown) throw new Unavailable("gone");
        return await store.measureWebhookBacklog(nowMs);
      },
    }));
    metrics.watch(webhookGauges, service.measureWebhookBacklog);
    const body = { url: "https://shop.example/hooks" };
    await call({ method: "POST", path: "/v1/webhook_endpoints", body });
    expect(await read()).toMatchObject({ [count]: 0, [age]: 0 });
    await call(create({}));
    await delay(50);
    const lines = await read();
    expect(lines).toMatchObject({ [count]: 1 });
    expect(lines[age]).toBeGreaterThan(0.04);
    expect(lines[age]).toBeLessThan(40); // seconds
    isDown = true;
    const without = await read();
    for (const name of [count, age]) expect(without).not.toHaveProperty(name);
    expect(Object.keys(filterByPrefix(without, "payments_http"))).not.toHaveLength(0);
  });

  test("are counted by outcome and by the class of their status, from zero on, and timed", async () => {
    const { webhooks, read } = createMetrics({ version: "1.2.3" });
    webhooks.attempted("retried", { status: 503, durationMs: 2_000 });
    webhooks.attempted("delivered", { status: 204, durationMs: 20 });
    webhooks.attempted("retried", { status: null, durationMs: 15_000 });
    webhooks.attempted("failed", undefined); // nothing was sent
    expect(parseMetrics((await read()).text)).toMatchObject({
      'payments_webhook_deliveries_total{outcome="delivered"}': 1,
      'payments_webhook_deliveries_total{outcome="retried"}': 2,
      'payments_webhook_deliveries_total{outcome="failed"}': 1,
      'payments_webhook_responses_total{status="1xx"}': 0,
      'payments_webhook_responses_total{status="2xx"}': 1,
      'payments_webhook_responses_total{status="3xx"}': 0,
      'payments_webhook_responses_total{status="4xx"}': 0,
      'payments_webhook_responses_total{status="5xx"}': 1,
      'payments_webhook_responses_total{status="none"}': 1,
      'payments_webhook_duration_seconds_bucket{le="0.025"}': 1,
      'payments_webhook_duration_seconds_bucket{le="2.5"}': 2,
      payments_webhook_duration_seconds_count: 3,
    });
  });
});

test("shed requests are counted by reason, from zero on", async () => {
  const { shed, read } = createMetrics({ version: "1.2.3" });
  shed("event_loop_delay");
  expect(parseMetrics((await read()).text)).toMatchObject({
    'payments_http_requests_shed_total{reason="requests_in_flight"}': 0,
    'payments_http_requests_shed_total{reason="event_loop_delay"}': 1,
    'payments_http_requests_shed_total{reason="heap"}': 0,
  });
});

test("metrics include the process and the program's version, for each of several services", async () => {
  for (const version of ["1.2.3", "1.2.4"]) {
    const { type, text } = await createMetrics({ version }).read();
    expect(type).toBe("text/plain; version=0.0.4; charset=utf-8");
    const lines = parseMetrics(text);
    expect(lines[`payments_build_info{version="${version}"}`]).toBe(1);
    expect(lines["process_resident_memory_bytes"]).toBeGreaterThan(1_000_000);
    expect(Object.keys(lines)).toContain("nodejs_eventloop_lag_p99_seconds");
  }
});
