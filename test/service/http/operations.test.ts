import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { createOperationsApp } from "../../../src/service/http/app.ts";
import type { Operations, UnreadyReason } from "../../../src/service/http/keyless-routes.ts";
import {
  docsUrl,
  errorIn,
  openApp,
  openAppForTest,
  refusalOf,
} from "../../testkit/app/open-app.ts";
import { rawConnection } from "../../testkit/sockets/raw-sockets.ts";

let reason: UnreadyReason | undefined;
const operations: Operations = {
  unreadyReason: async () => reason,
  metrics: async () => ({ type: "text/plain; version=0.0.4", text: "up 1\n" }),
};
const { call, logged, close } = await openApp({ app: { operations } });
afterAll(close);

const paths = ["/healthz", "/readyz", "/metrics"];

describe("a monitor", () => {
  test("learns without a key that the service is alive, even if it is not ready", async () => {
    for (reason of [undefined, "store_unreachable" as const]) {
      const answer = await call({ path: "/healthz", key: null });
      expect(answer).toMatchObject({ status: 200, text: '{"status":"ok"}' });
    }
  });

  test("learns whether the service is ready, and the reason if not", async () => {
    reason = undefined;
    const ready = await call({ path: "/readyz", key: null });
    expect(ready).toMatchObject({ status: 200, text: '{"status":"ready"}' });
    expect(ready.headers["retry-after"]).toBeUndefined();
    for (reason of [
      "shutting_down",
      "store_unreachable",
      "store_not_writable",
      "schema_outdated",
    ] as const) {
      const answer = await call({ path: "/readyz", key: null });
      expect(answer).toMatchObject({
        status: 503,
        text: JSON.stringify({ status: "unready", reason }),
      });
      expect(answer.headers["retry-after"]).toBe("1");
    }
  });

  test("reads metrics with their content type", async () => {
    const answer = await call({ path: "/metrics", key: null });
    expect(answer).toMatchObject({ status: 200, text: "up 1\n" });
    expect(answer.headers["content-type"]).toBe("text/plain; version=0.0.4");
  });

  test.each(paths)("learns that %s has no other method, and nothing below it", async (path) => {
    const answer = await call({ method: "POST", path, key: null });
    expect(refusalOf(answer)).toMatchObject({ status: 405, code: "method_not_allowed" });
    expect(answer.headers["allow"]).toBe("GET, HEAD");
    const below = await call({ path: `${path}/x`, key: null });
    expect(refusalOf(below)).toMatchObject({ status: 404, code: "endpoint_not_found" });
  });
});

test("probes are logged only when they fail", async () => {
  reason = undefined;
  logged.length = 0;
  for (const path of paths) await call({ path, key: null });
  reason = "store_unreachable";
  await call({ path: "/readyz", key: null });
  await call({ path: "/docs/errors", key: null });
  await expect.poll(() => logged).toHaveLength(2);
  expect(logged).toMatchObject([
    { message: "request", fields: { route: "/readyz", status: 503 } },
    { message: "request", fields: { route: "/docs/errors" } },
  ]);
});

test.each(paths)("an embedded service has no %s", async (path) => {
  const embedded = await openAppForTest();
  for (const method of ["GET", "POST"]) {
    const answer = await embedded.call({ method, path, key: null });
    expect(refusalOf(answer)).toMatchObject({ status: 404, code: "endpoint_not_found" });
  }
});

describe("a separate port for probes and metrics", () => {
  const limits = { headersMs: 100, requestMs: 100 };
  async function listenOnOwnPort(timeLimits?: typeof limits) {
    const more = timeLimits && { timeLimits };
    const app = createOperationsApp(operations, { docsUrl: () => docsUrl, ...more });
    onTestFinished(async () => app.close());
    const url = await app.listen({ host: "127.0.0.1", port: 0 });
    const connect = async () => {
      const connection = await rawConnection(url);
      onTestFinished(connection.close);
      return connection;
    };
    const send = async (path: string, method = "GET") => {
      const answer = await fetch(url + path, { method });
      const headers = Object.fromEntries(answer.headers);
      return { status: answer.status, headers, text: await answer.text() };
    };
    return { app, connect, send };
  }

  test.each(paths)("answers %s like the service's own port", async (path) => {
    reason = undefined;
    const { send } = await listenOnOwnPort();
    const [here, there] = [await send(path), await call({ path, key: null })];
    expect([here.status, here.text]).toEqual([there.status, there.text]);
    expect(here.headers["content-type"]).toBe(there.headers["content-type"]);
    expect(here.headers["service-request-id"]).toMatch(/^req_/);
    const refused = await send(path, "POST");
    expect(refusalOf(refused)).toMatchObject({ status: 405, code: "method_not_allowed" });
    expect(refused.headers["allow"]).toBe("GET, HEAD");
  });

  test.each(["/", "/v1/payments", "/pay/token", "/openapi.json", "/docs/errors", "/metrics/x"])(
    "has no %s, and lists its paths",
    async (path) => {
      const answer = await (await listenOnOwnPort()).send(path);
      expect(refusalOf(answer)).toEqual({ status: 404, code: "endpoint_not_found", param: null });
      expect(errorIn(answer)).toMatchObject({
        message: "There is no such path on this port. It has /healthz, /readyz, /metrics.",
        doc_url: `${docsUrl}#endpoint_not_found`,
        request_id: answer.headers["service-request-id"],
      });
    },
  );

  test.each([
    ["no HTTP", "nonsense\r\n\r\n", { status: 400, code: "malformed_request" }],
    ["a tunnel", "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n", { status: 400 }],
    ["no Host", "GET /metrics HTTP/1.1\r\n\r\n", { status: 400, code: "malformed_request" }],
    ["headers that do not end", "GET /metrics HTTP/1.1\r\n", { code: "request_timeout" }],
    [
      "headers that are too large",
      `GET /metrics HTTP/1.1\r\nHost: x\r\nX-Large: ${"x".repeat(20_000)}\r\n\r\n`,
      { status: 431, code: "headers_too_large" },
    ],
  ])("refuses %s like the service's own port", async (_, sent, refusal) => {
    const connection = await (await listenOnOwnPort(limits)).connect();
    connection.send(sent);
    expect(refusalOf(await connection.answer())).toMatchObject(refusal);
  });
});
