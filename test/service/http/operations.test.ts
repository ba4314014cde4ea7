import { afterAll, describe, expect, test } from "vitest";
import type { UnreadyReason } from "../../../src/service/http/routes/operations.ts";
import { openApp, openAppForTest } from "./open-app.ts";
import { refusalOf } from "./refusal-of.ts";

let reason: UnreadyReason | undefined;
const { call, logged, close } = await openApp({
  app: {
    operations: {
      unreadyReason: async () => reason,
      metrics: async () => ({ type: "text/plain; version=0.0.4", text: "up 1\n" }),
    },
  },
});
afterAll(close);

const paths = ["/healthz", "/readyz", "/metrics"];

describe("what watches over a service", () => {
  test("learns without a key that it is alive, whether it is ready or not", async () => {
    for (reason of [undefined, "store_unreachable" as const]) {
      const answer = await call({ path: "/healthz", key: null });
      expect(answer).toMatchObject({ status: 200, text: '{"status":"ok"}' });
    }
  });

  test("learns whether it wants requests, and why not", async () => {
    reason = undefined;
    const ready = await call({ path: "/readyz", key: null });
    expect(ready).toMatchObject({ status: 200, text: '{"status":"ready"}' });
    expect(ready.headers["retry-after"]).toBeUndefined();
    for (reason of ["shutting_down", "store_unreachable", "schema_outdated"] as const) {
      const answer = await call({ path: "/readyz", key: null });
      expect(answer).toMatchObject({
        status: 503,
        text: JSON.stringify({ status: "unready", reason }),
      });
      expect(answer.headers["retry-after"]).toBe("1");
    }
  });

  test("gets metrics in their own type", async () => {
    const answer = await call({ path: "/metrics", key: null });
    expect(answer).toMatchObject({ status: 200, text: "up 1\n" });
    expect(answer.headers["content-type"]).toBe("text/plain; version=0.0.4");
  });

  test.each(paths)("gets nothing kept from %s, and a request id", async (path) => {
    const { headers } = await call({ path: `${path}?x=1`, key: null });
    expect(headers["cache-control"]).toBe("no-store");
    expect(headers["service-request-id"]).toMatch(/^req_/);
  });

  test.each(paths)("learns that %s has no other method, and nothing below it", async (path) => {
    const answer = await call({ method: "POST", path, key: null });
    expect(refusalOf(answer)).toMatchObject({ status: 405, code: "method_not_allowed" });
    expect(answer.headers["allow"]).toBe("GET");
    const below = await call({ path: `${path}/x`, key: null });
    expect(refusalOf(below)).toMatchObject({ status: 404, code: "endpoint_not_found" });
  });
});

test("probes are logged when they fail, and only then", async () => {
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

test.each(paths)("a service that nobody watches over has no %s", async (path) => {
  const embedded = await openAppForTest();
  for (const method of ["GET", "POST"]) {
    const answer = await embedded.call({ method, path, key: null });
    expect(refusalOf(answer)).toMatchObject({ status: 404, code: "endpoint_not_found" });
  }
});
