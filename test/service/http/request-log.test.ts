import { request as httpRequest } from "node:http";
import { expect, test } from "vitest";
import { openAppForTest, type Call } from "../../testkit/app/open-app.ts";
import { openDashboard } from "../../testkit/pages/open-dashboard.ts";
import { ServiceError } from "../../../src/contract/error.ts";
import { countAndReport } from "../../../src/runtime/log.ts";
import type { Payment } from "../../../src/contract/payment.ts";
import { bodyWith } from "../../testkit/api-objects.ts";

const requests: [string, Call, object][] = [
  [
    "a list",
    { path: "/v1/payments?limit=7&status=failed" },
    { route: "/v1/payments", status: 200 },
  ],
  [
    "a refund",
    { method: "POST", path: "/v1/payments/pay_private/refund", key: "live" },
    { route: "/v1/payments/:id/refund", status: 404, mode: "live" },
  ],
  ["an unknown path", { path: "/v1/private?private=1" }, { route: null, status: 404 }],
  ["a wrong method", { method: "PUT", path: "/v1/payments/private" }, { route: null, status: 405 }],
  [
    "a request without a key",
    { key: null, path: "/v1/payments/private" },
    { route: "/v1/payments/:id", status: 401, mode: null, key_id: null },
  ],
  ["a path whose encoding is wrong", { path: "/v1/private/%zz" }, { route: null, status: 400 }],
  [
    "a form",
    { key: null, method: "POST", path: "/pay/private/cancel?private=1" },
    { route: "/pay/:token/cancel", status: 404, mode: null },
  ],
  [
    "a path below a payment page",
    { key: null, path: "/pay/private/private" },
    { route: null, status: 404, mode: null },
  ],
];

test.each(requests)("%s is logged by its route, never by its path", async (_, request, line) => {
  const { call, logged, service } = await openAppForTest();
  const keys = await service.listKeys();
  const answer = await call(request);
  const key = keys.find(({ mode }) => mode === (request.key ?? "test"));
  await expect.poll(() => logged).toHaveLength(1);
  expect(logged).toEqual([
    {
      level: "info",
      message: "request",
      fields: {
        request_id: answer.headers["service-request-id"],
        method: request.method ?? "GET",
        mode: "test",
        key_id: request.key === null ? null : key?.id,
        duration_ms: expect.any(Number),
        status: answer.status,
        route: null,
        ...line,
      },
    },
  ]);
  expect(JSON.stringify(logged)).not.toContain("private");
});

test("what is searched for is not logged, by API or dashboard, found or refused or failed", async () => {
  const searched = [
    "Private",
    "private@example.com",
    "7731773177.31",
    "773177317731",
    "4242424242424242",
  ];
  const [word, email, amount, minor, card] = searched;
  const { call, signIn, at, logged } = await openDashboard({
    store: (real) => ({
      ...real,
      listPayments: async (scope, range) => {
        if (range.filter?.currency === "usd")
          throw new ServiceError("service_unavailable", "Wait.");
        if (range.filter?.currency === "gbp") throw new Error("lost");
        return await real.listPayments(scope, range);
      },
    }),
  });
  const { get } = await signIn();
  const statuses: number[] = [];
  for (const rest of ["", "&currency=usd", "&currency=gbp"]) {
    for (const path of [
      `/v1/payments?search=${word}&amount=${minor}&customer[email]=${email}${rest}`,
      `/v1/payments?metadata[${word}]=${word}${rest}`,
      `/v1/payments?search=${card}${rest}`,
      `/v1/payments?${word}=${email}${rest}`,
    ]) {
      statuses.push((await call({ path })).status);
    }
    for (const query of [
      `search=${word}&amount=${amount}&email=${email}&metadata[${word}]=${word}`,
      `search=${card}`,
      `starting_after=${word}`,
    ]) {
      statuses.push((await get(at(`/payments?${query}${rest}`))).status);
    }
  }
  expect(statuses).toEqual(
    [200, 503, 500].flatMap((status) => [status, status, 400, 400, status, 400, 400]),
  );
  await expect
    .poll(() => logged.filter(({ message }) => message === "request").length)
    .toBe(statuses.length + 1); // and the sign-in
  const lines = JSON.stringify(logged).toLowerCase();
  for (const each of searched) expect(lines).not.toContain(each.toLowerCase());
});

test("a request whose client has disconnected is logged without a status", async () => {
  const { promise: lookup, resolve: startLookup } = Promise.withResolvers<void>();
  const { app, keys, logged } = await openAppForTest({
    store: (real) => ({
      ...real,
      findPayment: async () => {
        startLookup();
        return new Promise(() => {});
      },
    }),
  });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  const headers = { authorization: `Bearer ${keys.test}` };
  const leaving = httpRequest(`${url}/v1/payments/pay_private`, { headers }).end();
  leaving.on("error", () => {});
  await lookup;
  leaving.destroy();
  await expect.poll(() => logged).toHaveLength(1);
  expect(logged[0]).toMatchObject({
    message: "request",
    fields: { route: "/v1/payments/:id", status: null, mode: "test" },
  });
});

test("the first occurrence is reported at once, then the count once an interval", () => {
  let nowMs = 0;
  const reported: number[] = [];
  const countOne = countAndReport(
    60_000,
    (count) => reported.push(count),
    () => nowMs,
  );
  for (nowMs = 0; nowMs < 120_000; nowMs += 1_000) countOne();
  expect(reported).toEqual([1, 60]);
  nowMs = 120_000;
  countOne();
  expect(reported).toEqual([1, 60, 60]);
});

test("the audit log names the key that made a change; payments that it creates and reads are not in it", async () => {
  const { call, service } = await openAppForTest();
  const post = async (path: string, body: object = {}) =>
    JSON.parse((await call({ method: "POST", path, body })).text) as { id: string };
  const payment = (await post("/v1/payments", bodyWith({}))) as Payment;
  const endpoint = await post("/v1/webhook_endpoints", { url: "https://shop.example/hooks" });
  const itself = `/v1/webhook_endpoints/${endpoint.id}`;
  await call({ path: itself });
  await post(itself, { description: "Ours" });
  await post(itself, { status: "disabled" });
  await post(itself, { status: "enabled" });
  await post(`${itself}/roll`);
  const event = payment.id.replace("pay_", "evt_");
  await post(`/v1/events/${event}/resend`, { endpoint: endpoint.id });
  await post(`/v1/payments/${payment.id}/refund`);
  await call({ method: "DELETE", path: itself });
  const key = (await service.listKeys()).find(({ mode }) => mode === "test");
  const { items } = await service.listActivity(key?.account ?? "", {});
  expect(items.map(({ action, subject }) => [action, subject.id])).toEqual([
    ["webhook_endpoint.deleted", endpoint.id],
    ["payment.refunded", payment.id],
    ["event.resent", event],
    ["webhook_endpoint.rolled", endpoint.id],
    ["webhook_endpoint.enabled", endpoint.id],
    ["webhook_endpoint.disabled", endpoint.id],
    ["webhook_endpoint.updated", endpoint.id],
    ["webhook_endpoint.created", endpoint.id],
  ]);
  const actor = { type: "api_key", id: key?.id, name: key?.name };
  for (const each of items) expect(each).toMatchObject({ actor, livemode: false });
});
