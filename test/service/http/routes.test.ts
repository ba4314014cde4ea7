import { afterAll, describe, expect, test } from "vitest";
import { openApp } from "../../testkit/app/open-app.ts";
import { errorIn, refusalOf } from "../../testkit/app/refusal-of.ts";

const { call, close } = await openApp();
afterAll(close);

describe("a path that does not exist is not found", () => {
  test.each([
    "/v1",
    "/v1/",
    "/v1/payment",
    "/v1/Payments",
    "/v1//payments",
    "/v1/payments/pay_x/refunds",
    "/v1/payments/pay_x/refund/",
    "/v1/payments/pay_x/refund/again",
    "/v1/payments.json",
    "/",
    "/docs",
    "/docs/errors/",
    "/openapi.jsonx",
    "/openapi-json",
  ])("%s", async (path) => {
    for (const method of ["GET", "POST", "DELETE"]) {
      const answer = await call({ method, path });
      expect(refusalOf(answer)).toEqual({ status: 404, code: "endpoint_not_found", param: null });
      expect(answer.headers["allow"]).toBeUndefined();
    }
  });
});

describe("a wrong method is answered with the path's methods", () => {
  test.each([
    [
      "/v1/payments",
      "POST, GET, HEAD",
      ["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PURGE", "QUERY"],
    ],
    ["/v1/payments?limit=1", "POST, GET, HEAD", ["PUT"]],
    ["/v1/p%61yments/pay_none", "GET, HEAD", ["POST"]],
    ["/v1/payments/hpp", "POST, GET, HEAD", ["PUT"]],
    ["/openapi.json", "GET, HEAD", ["POST", "DELETE"]],
    ["/docs/errors", "GET, HEAD", ["POST", "DELETE"]],
  ])("%s", async (path, allow, methods) => {
    for (const method of methods) {
      const answer = await call({ method, path });
      expect(answer).toMatchObject({ status: 405, headers: { allow } });
      if (method === "HEAD") continue; // which has no body
      expect(refusalOf(answer)).toEqual({ status: 405, code: "method_not_allowed", param: null });
      expect(errorIn(answer).message).toContain(allow.replaceAll(", ", " or "));
    }
  });
});

test.each(["/v1/%zz", "/v1/payments/%", "/v1/payments/%ff", "/%c0%af"])(
  "%s, whose encoding is wrong, is a malformed request",
  async (path) => {
    const answer = await call({ path });
    expect(refusalOf(answer)).toEqual({ status: 400, code: "malformed_request", param: null });
  },
);

test("a request id that the client sends is ignored", async () => {
  const answer = await call({
    headers: { "service-request-id": "req_mine", "request-id": "mine" },
  });
  expect(answer.headers["service-request-id"]).toMatch(/^req_[0-9a-f-]{36}$/);
});
