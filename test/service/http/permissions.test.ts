import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { IssuedKey, KeyGrant } from "../../../src/contract/administration.ts";
import { type Permission, permissions } from "../../../src/contract/field-values.ts";
import type { Payment } from "../../../src/contract/payment.ts";
import type { Route } from "../../../src/contract/route.ts";
import { routes } from "../../../src/contract/routes.ts";
import { bodyWith } from "../../testkit/api-objects.ts";
import { errorIn, openApp, openAppForTest, refusalOf } from "../../testkit/app/open-app.ts";

// What a key may do, of each route of the contract's table, over HTTP on two replicas.

const opened = await openApp();
afterAll(opened.close);
const { app, service, openReplica } = opened;
const replicas: Record<string, FastifyInstance> = { one: app, other: await openReplica() };

const grants: Record<string, readonly Permission[]> = Object.fromEntries([
  ...permissions.map((each) => [`${each} alone`, [each]]),
  ...permissions.map((each) => [`all but ${each}`, permissions.filter((other) => other !== each)]),
  ["everything", permissions],
]) as never;
const keys = new Map<string, string>();

async function makeKey(fields: Partial<KeyGrant & Pick<IssuedKey, "expires_at">>) {
  return await service.createKey({ mode: "test", name: "ci", ...fields });
}
beforeAll(async () => {
  for (const [name, allowed] of Object.entries(grants)) {
    keys.set(name, (await makeKey({ permissions: allowed })).key);
  }
});

type Sent = { method?: string; headers?: Record<string, string>; payload?: string };

const prefixes: Record<string, string> = { payments: "pay", events: "evt", requests: "req" };
const pathOf = ({ path }: Route) =>
  path
    .replace(":id", `${prefixes[path.split("/")[2] ?? ""] ?? "we"}_none`)
    .replace(":delivery", "del_none");

async function send(replica: FastifyInstance, route: Route, key: string, sent: Sent = {}) {
  const response = await replica.inject({
    method: (sent.method ?? route.method) as "GET",
    url: pathOf(route),
    headers: { authorization: `Bearer ${key}`, ...sent.headers },
    ...(sent.payload !== undefined && { payload: sent.payload }),
  });
  const headers = response.headers as Record<string, string>;
  return { status: response.statusCode, headers, text: response.body };
}

const denied = { status: 403, code: "permission_denied", param: null };
/** What comes after the permission: other headers, the type and the size of the body, and its JSON. */
const mistakes: Sent[] = [
  { headers: { "service-version": "today", "idempotency-key": "a b" } },
  { headers: { "content-type": "text/plain" }, payload: "{" },
  { headers: { "content-type": "application/json" }, payload: "x".repeat(70_000) },
];

describe.each(Object.entries<Route>(routes))("%s", (_, route) => {
  const [allowing = [], lacking = []] = [true, false].map((isWanted) =>
    Object.keys(grants).filter((grant) => isWanted === isAllowed(route, grants[grant] ?? [])),
  );

  test.each(Object.keys(replicas))("on %s replica needs its permission", async (name) => {
    const ask = async (grant: string) => send(replicas[name]!, route, keys.get(grant) ?? "");
    for (const grant of allowing) {
      const { status } = await ask(grant);
      expect([grant, status === 401 || status === 403]).toEqual([grant, false]);
    }
    for (const grant of lacking) {
      const answer = await ask(grant);
      expect([grant, refusalOf(answer)]).toEqual([grant, denied]);
      expect(errorIn(answer)).toMatchObject({
        type: "permission_error",
        message: `This API key lacks the permission ${route.permission}. Use a key that has it.`,
      });
    }
  });

  test("is asked for it after the key and the path, before all else, and by HEAD as by GET", async () => {
    for (const grant of lacking.slice(0, 1)) {
      const key = keys.get(grant) ?? "";
      expect(refusalOf(await send(app, route, `${key}x`)).status).toBe(401);
      for (const method of ["PUT", "OPTIONS", "PATCH"]) {
        expect(refusalOf(await send(app, route, key, { method })).status).toBe(405);
      }
      for (const mistake of route.method === "POST" ? mistakes : mistakes.slice(0, 1)) {
        expect(refusalOf(await send(app, route, key, mistake))).toEqual(denied);
      }
      const isRead = route.method === "GET";
      const head = await send(app, route, key, { method: isRead ? "HEAD" : route.method });
      expect(head.status).toBe(403);
    }
  });
});

function isAllowed({ permission }: Route, allowed: readonly Permission[]): boolean {
  return permission === null || allowed.includes(permission);
}

/** Requests of every kind of write that would succeed with a key to everything. */
function listWrites(ids: Record<"payment" | "page" | "event" | "endpoint" | "listener", string>) {
  const endpoint = `/v1/webhook_endpoints/${ids.endpoint}`;
  const listener = `/v1/webhook_endpoints/${ids.listener}`;
  return [
    ["POST", "/v1/payments", bodyWith({})],
    ["POST", "/v1/payments/hpp", { amount: 1, currency: "eur" }],
    ["POST", `/v1/payments/${ids.payment}/refund`, {}],
    ["POST", `/v1/p%61yments/${ids.payment}/refund`, {}],
    ["POST", `/v1/payments/${ids.page}/cancel`, {}],
    ["POST", `/v1/events/${ids.event}/resend`, {}],
    ["POST", "/v1/webhook_endpoints", { url: "https://shop.example/other" }],
    ["POST", endpoint, { status: "disabled" }],
    ["POST", `${endpoint}/roll`, {}],
    ["POST", `${endpoint}/recover`, { since: 0 }],
    ["POST", `${endpoint}/test`, {}],
    ["DELETE", endpoint, undefined],
    ["POST", `${listener}/start`, {}],
    ["POST", `${listener}/take`, {}],
    ["POST", `${listener}/report`, { delivery: "del_1", delivered: true }],
  ] as const;
}

test("a key that may read changes nothing, whatever it sends and however it names the method", async () => {
  const { call, service: own } = await openAppForTest();
  const make = async (path: string, body: object) =>
    JSON.parse((await call({ method: "POST", path, body })).text) as Payment;
  const { id: payment } = await make("/v1/payments", bodyWith({}));
  const { id: page } = await make("/v1/payments/hpp", { amount: 1, currency: "eur" });
  const { id: endpoint } = await make("/v1/webhook_endpoints", { url: "https://shop.example/a" });
  const { id: listener } = await make("/v1/webhook_endpoints", { url: null });
  const event = payment.replace("pay_", "evt_");
  const readAll = async () => {
    const lists = ["/v1/payments", "/v1/events", "/v1/webhook_endpoints"];
    lists.push(`/v1/webhook_endpoints/${endpoint}/deliveries`);
    return Promise.all(lists.map(async (path) => (await call({ path })).text));
  };
  const before = await readAll();
  const { key } = await own.createKey({ mode: "test", name: "reader", permissions: ["read"] });
  const authorization = `Bearer ${key}`;
  const writes = listWrites({ payment, page, event, endpoint, listener });
  // Each route that writes is among them.
  const written = Object.values<Route>(routes).filter(({ method }) => method !== "GET");
  expect(new Set(writes.map(([, path]) => path.replace("p%61y", "pay"))).size).toBe(
    new Set(written.map(({ path }) => path)).size,
  );
  for (const [method, path, body] of writes) {
    const sent = { method, path, key: null, ...(body && { body }) };
    const refused = await call({ ...sent, headers: { authorization, "idempotency-key": "k" } });
    expect([path, refusalOf(refused)]).toEqual([path, denied]);
    for (const [other, headers] of [
      ["GET", { "x-http-method-override": method }],
      ["GET", { "x-http-method": method, "x-method-override": method }],
      ["HEAD", {}],
      [method, { authorization: authorization.toLowerCase().replace("bearer", "BEARER") }],
    ] as const) {
      const answer = await call({ ...sent, method: other, headers: { authorization, ...headers } });
      expect([200, 401, 403, 404, 405]).toContain(answer.status);
    }
    const slash = await call({ ...sent, path: `${path}/`, headers: { authorization } });
    expect([403, 404, 405]).toContain(slash.status);
  }
  expect(await readAll()).toEqual(before);
});

test("a key without `create` reads all of a payment but where the customer pays it", async () => {
  const { call, service: own, keys: full } = await openAppForTest();
  const metadata = { redirect_url: "https://shop.example/pay", order: "ü 1003" };
  const body = { amount: 1, currency: "eur", description: '","redirect_url":"', metadata };
  await call({ method: "POST", path: "/v1/payments", body: bodyWith({ metadata }) });
  const made = await call({ method: "POST", path: "/v1/payments/hpp", body });
  const page = JSON.parse(made.text) as Payment & { redirect_url: string };
  const { key: reading } = await own.createKey({
    mode: "test",
    name: "reader",
    permissions: permissions.filter((each) => each !== "create"),
  });
  const ask = async (path: string, key: string, method = "GET") =>
    call({ method, path, headers: { authorization: `Bearer ${key}` } });
  const event = page.id.replace("pay_", "evt_");
  const paths = [
    `/v1/payments/${page.id}`,
    "/v1/payments?limit=10",
    "/v1/payments?search=1003",
    "/v1/events",
    `/v1/events/${event}`,
  ];
  const withheld = (text: string) => text.replaceAll(`"${page.redirect_url}"`, "null");
  for (const path of paths) {
    const whole = await ask(path, full.test);
    expect([path, whole.text.includes(page.redirect_url)]).toEqual([path, true]);
    const seen = await ask(path, reading);
    expect([path, seen.text]).toEqual([path, withheld(whole.text)]);
    const head = await ask(path, reading, "HEAD");
    expect(head.headers["content-length"]).toBe(seen.headers["content-length"]);
  }
  const history = await ask(`/v1/payments/${page.id}/history`, reading);
  expect(history.status).toBe(200);
  expect(history.text).not.toContain(page.redirect_url);
});

test("a stored response is not replayed to a key that may not do it", async () => {
  const { call, service: own, keys: full } = await openAppForTest();
  const { text } = await call({ method: "POST", body: bodyWith({ amount: 5_000 }) });
  const path = `/v1/payments/${(JSON.parse(text) as Payment).id}/refund`;
  const refund = async (key: string) =>
    call({
      method: "POST",
      path,
      headers: { authorization: `Bearer ${key}`, "idempotency-key": "once" },
    });
  const first = await refund(full.test);
  expect(first.status).toBe(200);
  const make = async (grant: Partial<KeyGrant>) =>
    (await own.createKey({ mode: "test", name: "ci", ...grant })).key;
  expect(refusalOf(await refund(await make({ permissions: ["create", "read"] })))).toEqual(denied);
  const limited = { status: 403, code: "refund_limit_exceeded", param: null };
  expect(refusalOf(await refund(await make({ max_refund: 4_999 })))).toEqual(limited);
  const replayed = await refund(await make({ permissions: ["refund"], max_refund: 5_000 }));
  expect(replayed).toMatchObject({ status: 200, text: first.text });
  expect(replayed.headers["idempotent-replayed"]).toBe("true");
});

test("a key's permissions are in its account, whatever they are", async () => {
  const { key } = await makeKey({ permissions: ["webhooks"], max_refund: 7 });
  expect(JSON.parse((await send(app, routes.getAccount, key)).text)).toMatchObject({
    object: "account",
    permissions: ["webhooks"],
    max_refund: 7,
  });
});

const read = async (replica: FastifyInstance, key: string) =>
  (await send(replica, routes.listPayments, key)).status;
const create = async (replica: FastifyInstance, key: string) =>
  (await send(replica, routes.createPayment, key)).status;

describe("on each of two replicas, within a second", () => {
  const both = Object.values(replicas);

  test("a restricted key that is rolled may no more than before, and nor does its successor", async () => {
    const old = await makeKey({ permissions: ["read"], max_refund: 10, expires_at: 4_000_000_000 });
    for (const each of both) expect(await create(each, old.key)).toBe(403);
    const successor = await service.rollKey(old, 60_000);
    expect(successor).toMatchObject({
      permissions: ["read"],
      max_refund: 10,
      expires_at: 4_000_000_000,
    });
    for (const each of both) {
      for (const { key } of [old, successor!]) {
        expect([await read(each, key), await create(each, key)]).toEqual([200, 403]);
      }
    }
  });

  test.each(["revoked", "rolled without an overlap"])("one that is %s is refused", async (how) => {
    const key = await makeKey({ permissions: ["read"] });
    for (const each of both) expect(await read(each, key.key)).toBe(200);
    if (how === "revoked") await service.revokeKey(key);
    else await service.rollKey(key, 0);
    for (const each of both) {
      await expect.poll(async () => read(each, key.key), { timeout: 30_000 }).toBe(401);
    }
  });

  test("one that expires is refused", async () => {
    const expiresAt = Math.ceil(Date.now() / 1000) + 1;
    const { key } = await makeKey({ permissions: ["read"], expires_at: expiresAt });
    for (const each of both) {
      await expect.poll(async () => read(each, key), { timeout: 30_000 }).toBe(401);
    }
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt * 1000);
  });
});
