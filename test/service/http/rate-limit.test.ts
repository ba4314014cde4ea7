import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { limitRate } from "../../../src/service/http/request-guards.ts";
import { bodyWith } from "../../testkit/api-objects.ts";
import { type Answer, type Call, openAppForTest, refusalOf } from "../../testkit/app/open-app.ts";

const limited = { app: { limitRate: limitRate(10) } };
const windowMs = 1_000;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] }); // a second is over when a test says so
});
afterEach(() => {
  vi.useRealTimers();
});

const create: Call = { method: "POST", body: bodyWith({}) };

function headersOf({ headers }: Answer) {
  return {
    limit: headers["x-ratelimit-limit"],
    remaining: headers["x-ratelimit-remaining"],
    reset: headers["x-ratelimit-reset"],
    retryAfter: headers["retry-after"],
  };
}

describe("a key that may make 10 requests a second", () => {
  test("has 10 of 100 answered and 90 refused, and another key is not affected", async () => {
    const { call } = await openAppForTest(limited);
    const answers = await Promise.all(Array.from({ length: 100 }, async () => call(create)));
    const counts = Map.groupBy(answers, ({ status }) => status);
    expect(counts.get(201)).toHaveLength(10);
    expect(counts.get(429)).toHaveLength(90);
    for (const answer of counts.get(429) ?? []) {
      expect(refusalOf(answer)).toEqual({
        status: 429,
        code: "rate_limit_exceeded",
        param: null,
      });
      const expected = { limit: "10", remaining: "0", reset: "1", retryAfter: "1" };
      expect(headersOf(answer)).toEqual(expected);
    }
    expect((await call({ ...create, key: "live" })).status).toBe(201);
    vi.advanceTimersByTime(windowMs);
    const list = await call({ path: "/v1/payments?limit=100" });
    expect((JSON.parse(list.text) as { data: object[] }).data).toHaveLength(10);
  });

  test("learns how many remain, and may continue when the second is over", async () => {
    const { call } = await openAppForTest(limited);
    for (let remaining = 9; remaining >= 0; remaining--) {
      const expected = {
        limit: "10",
        remaining: String(remaining),
        reset: "1",
        retryAfter: undefined,
      };
      expect(headersOf(await call({}))).toEqual(expected);
    }
    expect((await call({})).status).toBe(429);
    vi.advanceTimersByTime(windowMs);
    expect(headersOf(await call({}))).toMatchObject({ remaining: "9" });
  });

  test("spends them on failed requests, too", async () => {
    const { call } = await openAppForTest(limited);
    const failing: Call[] = [
      { path: "/v1/nothing" },
      { path: "/v1/%zz" },
      { method: "PUT" },
      { ...create, body: "{" },
      { ...create, type: "text/plain" },
      { headers: { "service-version": "1" } },
    ];
    for (const [index, request] of failing.entries()) {
      const answer = await call(request);
      expect(answer.status).not.toBe(429);
      expect(headersOf(answer)).toMatchObject({ limit: "10", remaining: String(9 - index) });
    }
  });

  test("gets 429 before any other error", async () => {
    const { call } = await openAppForTest({ app: { limitRate: limitRate(1) } });
    await call({});
    for (const request of [{ path: "/v1/nothing" }, { ...create, body: "{" }, { method: "PUT" }]) {
      expect((await call(request)).status).toBe(429);
    }
  });
});

test("requests without a key have no limit, and do not count against a key's", async () => {
  const { call } = await openAppForTest({ app: { limitRate: limitRate(1) } });
  for (const request of [{ key: null }, { key: null, path: "/docs/errors" }] satisfies Call[]) {
    for (const answer of [await call(request), await call(request)]) {
      expect(answer.status).not.toBe(429);
      expect(answer.headers["x-ratelimit-limit"]).toBeUndefined();
    }
  }
  expect((await call({})).status).toBe(200);
});

test("without a limit no response has rate limit headers", async () => {
  const { call } = await openAppForTest();
  expect((await call({})).headers["x-ratelimit-limit"]).toBeUndefined();
});
