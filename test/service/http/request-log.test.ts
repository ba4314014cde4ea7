import { request as httpRequest } from "node:http";
import { expect, test } from "vitest";
import { openAppForTest, type Call } from "../../testkit/app/open-app.ts";

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
