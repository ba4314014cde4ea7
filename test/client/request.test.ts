import { describe, expect, test } from "vitest";
import { computeRetryDelay, toHeaders, toTarget } from "../../src/client/request.ts";
import { parseRetryAfter } from "../../src/runtime/time.ts";
import { isLoopback } from "../../src/runtime/transport-safety.ts";

test.each([
  { path: "/v1/payments", endpoint: "POST /v1/payments", call: {} },
  {
    path: "/v1/payments/pay_1",
    endpoint: "GET /v1/payments/:id",
    call: { params: { id: "pay_1" } },
  },
  {
    path: "/v1/payments/pay_1/refund",
    endpoint: "POST /v1/payments/:id/refund",
    call: { params: { id: "pay_1" } },
  },
  {
    path: "/v1/payments/..%2Fa%20b%3Fc%23d",
    endpoint: "GET /v1/payments/:id",
    call: { params: { id: "../a b?c#d" } },
  },
  { path: "/v1/payments", endpoint: "GET /v1/payments", call: { query: {} } },
  {
    path: "/v1/payments?limit=5",
    endpoint: "GET /v1/payments",
    call: { query: { limit: 5, status: undefined } },
  },
  {
    path: "/v1/payments?created%5Bgte%5D=0&created%5Blt%5D=9&starting_after=a%26b",
    endpoint: "GET /v1/payments",
    call: { query: { "created[gte]": 0, "created[lt]": 9, starting_after: "a&b" } },
  },
] as const)("the path of a call is $path", ({ endpoint, call, path }) => {
  const [method] = endpoint.split(" ");
  expect(toTarget(endpoint, call)).toEqual({ method, path });
});

describe("the headers of a call", () => {
  const connection = { apiKey: "svc_test_sk_1", serviceVersion: undefined };

  test("are only the key where nothing else is given", () => {
    expect(toHeaders(connection, {})).toEqual({ authorization: "Bearer svc_test_sk_1" });
  });

  test("name the version, the body's type and the idempotency key where they are", () => {
    const versioned = { ...connection, serviceVersion: "2026-11-01" };
    expect(toHeaders(versioned, { body: {}, idempotencyKey: "k" })).toEqual({
      authorization: "Bearer svc_test_sk_1",
      "content-type": "application/json",
      "idempotency-key": "k",
      "service-version": "2026-11-01",
    });
  });
});

const nowMs = Date.UTC(2026, 10, 15, 12);
const least = () => 0;
const most = () => 1;
const delayMs = (attempt: number, retryAfter: string | undefined, random: () => number) =>
  computeRetryDelay(attempt, parseRetryAfter(retryAfter, nowMs), random);
const inSeconds = (seconds: number) => new Date(nowMs + seconds * 1000).toUTCString();

test.each([
  [0, 500],
  [1, 1_000],
  [2, 2_000],
  [3, 4_000],
  [4, 8_000],
  [5, 8_000],
  [19, 8_000],
])("without Retry-After try %d waits from nothing to %d ms", (attempt, longestMs) => {
  expect(delayMs(attempt, undefined, least)).toBe(0);
  expect(delayMs(attempt, undefined, () => 0.5)).toBe(longestMs / 2);
  expect(delayMs(attempt, undefined, most)).toBe(longestMs);
});

describe("a Retry-After", () => {
  test.each<[string, number]>([
    ["0", 0],
    ["1", 1_000],
    ["7", 7_000],
    ["60", 60_000],
    [inSeconds(3), 3_000],
    [inSeconds(60), 60_000],
    [inSeconds(-30), 0],
  ])("of %j is waited for", (retryAfter, waitMs) => {
    expect(delayMs(0, retryAfter, least)).toBe(waitMs);
  });

  test.each(["61", "3600", "99999999999999", inSeconds(61), inSeconds(86_400)])(
    "of %j is too long to wait for",
    (retryAfter) => {
      expect(delayMs(0, retryAfter, least)).toBeUndefined();
    },
  );

  test("never shortens the backoff", () => {
    expect(delayMs(4, "1", most)).toBe(8_000);
    expect(delayMs(0, "0", most)).toBe(500);
  });

  test.each(["", "soon", "-1", "1.5s"])(
    "of %j means nothing, and the backoff stands",
    (retryAfter) => {
      expect(delayMs(1, retryAfter, most)).toBe(1_000);
    },
  );
});

test.for<[isLocal: boolean, hosts: string[]]>([
  [true, ["127.0.0.1", "127.255.255.254:8402", "127.1", "0x7f.0.0.1", "[::1]"]],
  [true, ["[0:0:0:0:0:0:0:1]:8402", "localhost", "LocalHost.", "a.b.localhost"]],
  [false, ["127.0.0.1.evil.example", "localhost.evil", "mylocalhost", "0.0.0.0", "[::]"]],
  [false, ["[::ffff:127.0.0.1]", "[::2]", "126.0.0.1", "1.127.0.0", "user@example.com"]],
  [false, ["payments.example/127.0.0.1"]],
])("whether a host is this machine: %j, %j", ([isLocal, hosts]) => {
  for (const host of hosts) {
    expect([host, isLoopback(new URL(`http://${host}`).hostname)]).toEqual([host, isLocal]);
  }
});
