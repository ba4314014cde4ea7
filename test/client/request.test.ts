import { describe, expect, test } from "vitest";
import { toHeaders, toPath } from "../../src/client/request.ts";
import { routes } from "../../src/contract/routes.ts";

describe("the path of a call", () => {
  test.each([
    { path: "/v1/payments", route: routes.createPayment, call: {} },
    { path: "/v1/payments/pay_1", route: routes.getPayment, call: { params: { id: "pay_1" } } },
    {
      path: "/v1/payments/pay_1/refund",
      route: routes.refundPayment,
      call: { params: { id: "pay_1" } },
    },
    {
      path: "/v1/payments/..%2Fa%20b%3Fc%23d",
      route: routes.getPayment,
      call: { params: { id: "../a b?c#d" } },
    },
    { path: "/v1/payments", route: routes.listPayments, call: { query: {} } },
    {
      path: "/v1/payments?limit=5",
      route: routes.listPayments,
      call: { query: { limit: 5, status: undefined } },
    },
    {
      path: "/v1/payments?created%5Bgte%5D=0&created%5Blt%5D=9&starting_after=a%26b",
      route: routes.listPayments,
      call: { query: { "created[gte]": 0, "created[lt]": 9, starting_after: "a&b" } },
    },
  ])("is $path", ({ route, call, path }) => {
    expect(toPath(route, call)).toBe(path);
  });
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
