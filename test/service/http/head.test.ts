import { describe, expect, onTestFinished, test } from "vitest";
import type { Payment } from "../../../src/contract/payment.ts";
import { cookieIn, openDashboard } from "../../testkit/pages/open-dashboard.ts";
import type { Answer, Call } from "../../testkit/app/open-app.ts";
import { rawConnection } from "../../testkit/sockets/raw-sockets.ts";

const operations = {
  unreadyReason: async () => undefined,
  metrics: async () => ({ type: "text/plain", text: "up 1\n" }),
};
const form = "application/x-www-form-urlencoded";

/** Sends HEAD, and then GET: the responses differ in the body only. */
async function expectSame(
  call: (request: Call) => Promise<Answer>,
  request: Call,
): Promise<Answer> {
  const head = await call({ ...request, method: "HEAD" });
  const get = await call(request);
  const { path } = request;
  expect({ path, status: head.status, text: head.text }).toEqual({
    path,
    status: get.status,
    text: "",
  });
  expect(omitVarying(head)).toEqual(omitVarying(get));
  return head;
}

/** The headers without those that differ in every response. */
function omitVarying({ headers }: Answer): Record<string, string> {
  const { "service-request-id": _id, date: _date, ...rest } = headers;
  return rest;
}

describe("HEAD is answered like GET, without a body,", () => {
  test("by every route", async () => {
    const { app } = await openDashboard({ app: { operations } });
    await app.ready();
    const lines = app.printRoutes({ commonPrefix: false }).split("\n");
    const methods = lines.map((line) => /\(([A-Z, ]+)\)/.exec(line)?.[1]?.split(", ") ?? []);
    const readable = methods.filter((each) => each.includes("GET"));
    expect(readable.length).toBeGreaterThan(30);
    expect(readable.filter((each) => !each.includes("HEAD"))).toEqual([]);
  });

  test("by the API and its documentation", async () => {
    const { call, pay, logged } = await openDashboard({ app: { operations } });
    const { id } = await pay();
    const values = Array.from({ length: 50 }, (_, at) => [`k${at}`, "v".repeat(500)]);
    const large = { metadata: Object.fromEntries(values) as object };
    for (let count = 0; count < 10; count++) await pay(large); // a list of them is sent in pieces
    const created = await call({
      method: "POST",
      path: "/v1/webhook_endpoints",
      body: { url: "http://127.0.0.1:9/hook", events: ["*"] },
    });
    const endpoint = `/v1/webhook_endpoints/${(JSON.parse(created.text) as Payment).id}`;
    for (const path of [
      "/v1/payments?limit=1",
      "/v1/payments?limit=100",
      `/v1/payments/${id}`,
      "/v1/payments/pay_none",
      "/v1/events",
      "/v1/webhook_endpoints",
      endpoint,
      `${endpoint}/deliveries`,
      "/v1/nothing",
      "/v1/%zz",
      "/openapi.json",
      "/docs/errors",
      "/healthz",
      "/metrics",
      "/nothing",
    ]) {
      await expectSame(call, { path });
    }
    await expectSame(call, { path: "/v1/payments", key: null });
    expect(logged.filter(({ level }) => level === "error")).toEqual([]);
  });

  test("by payment pages, which can still be paid", async () => {
    const { call } = await openDashboard();
    const body = { amount: 4999, currency: "eur", return_url: "https://shop.example/done" };
    const createPage = async () => {
      const { text } = await call({ method: "POST", path: "/v1/payments/hpp", body });
      return new URL((JSON.parse(text) as Payment).redirect_url ?? "").pathname;
    };
    const [open, canceled] = [await createPage(), await createPage()];
    const cancel = { method: "POST", path: `${canceled}/cancel`, key: null, body: "", type: form };
    expect((await call(cancel)).status).toBe(303);
    for (const page of [open, canceled, "/pay/none"]) {
      await expectSame(call, { path: page, key: null });
      await expectSame(call, { path: `${page}/return`, key: null });
    }
    await expectSame(call, { path: "/pay/none/nothing", key: null });
    expect((await call({ ...cancel, path: `${open}/cancel` })).status).toBe(303);
  });

  test("by the dashboard, without using up an invitation", async () => {
    const { invite, submit, call, pay, at, service } = await openDashboard();
    const { id } = await pay();
    const key = await service.createKey({ mode: "test", name: "ci" });
    const { path, operatorId } = await invite();
    const shown = await expectSame(call, { path, key: null });
    expect(shown.status).toBe(200);
    const cookie = cookieIn(await submit(path));
    expect((await expectSame(call, { path, key: null })).status).toBe(404);

    const paths = [
      "/dashboard",
      "/dashboard/",
      "/dashboard/sign-in",
      "/dashboard/nowhere",
      ...[
        "",
        "/payments",
        `/payments/${id}`,
        `/payments/${id}/refund`,
        `/keys/${key.id}/roll`,
        `/keys/${key.id}/revoke`,
        `/team/${operatorId}`,
        `/team/${operatorId}/remove`,
      ].map((page) => at(page)),
    ];
    for (const each of paths) {
      await expectSame(call, { path: each, key: null, headers: { cookie } });
      await expectSame(call, { path: each, key: null });
    }
  });

  test("and the next response follows on the same connection", async () => {
    const { app, keys } = await openDashboard();
    const connection = await rawConnection(await app.listen({ host: "127.0.0.1", port: 0 }));
    onTestFinished(connection.close);
    let received = "";
    connection.socket.on("data", (chunk: string) => (received += chunk));
    const headers = `Host: x\r\nAuthorization: Bearer ${keys.test}\r\n\r\n`;
    connection.send(`HEAD /v1/payments HTTP/1.1\r\n${headers}GET /v1/no HTTP/1.1\r\n${headers}`);
    await expect
      .poll(() => received)
      .toMatch(/^HTTP\/1\.1 200 OK\r\n.*content-length: \d+\r\n.*\r\n\r\nHTTP\/1\.1 404 /s);
  });
});
