import { afterAll, describe, expect, test } from "vitest";
import type { Payment } from "../../../src/contract/payment.ts";
import { bodyWith } from "../../testkit/create-payment-body.ts";
import { openApp } from "../../testkit/app/open-app.ts";
import { errorIn, refusalOf } from "../../testkit/app/refusal-of.ts";

const { call, close } = await openApp();
afterAll(close);

async function created(key: "test" | "live" = "test"): Promise<string> {
  const { text } = await call({ method: "POST", key, body: bodyWith({}) });
  return (JSON.parse(text) as Payment).id;
}

describe("a parameter is refused and named", () => {
  test.each([
    ["limit", "limit=0"],
    ["limit", "limit=101"],
    ["limit", "limit=-1"],
    ["limit", "limit=+1"],
    ["limit", "limit=1.0"],
    ["limit", "limit=1e1"],
    ["limit", "limit=0x1"],
    ["limit", "limit=%201"],
    ["limit", "limit="],
    ["limit", "limit"],
    ["limit", "limit=ten"],
    ["limit", "limit=%zz"],
    ["limit", "limit=99999999999999999999"],
    ["status", "status=Succeeded"],
    ["status", "status=canceled"],
    ["status", "status="],
    ["status", "status=succeeded,failed"],
    ["created[gte]", "created[gte]=-1"],
    ["created[gte]", "created[gte]=yesterday"],
    ["created[lt]", "created[lt]=1.5"],
    ["created[lt]", "created[lt]="],
    ["created[lt]", "created%5Blt%5D=9007199254740992"],
    ["starting_after", "starting_after="],
    ["starting_after", "starting_after=payment"],
    ["starting_after", "starting_after=pay_01890000-0000-7000-8000-000000000000"],
    ["ending_before", "ending_before=pay_%27;--"],
    ["ending_before", "ending_before=pay_unknown"],
    ["ending_before", "starting_after=pay_a&ending_before=pay_b"],
  ])("%s in %s", async (param, query) => {
    const answer = await call({ path: `/v1/payments?${query}` });
    expect(refusalOf(answer)).toEqual({ status: 400, code: "parameter_invalid", param });
    expect(errorIn(answer).message).toContain(`${param} must `);
  });

  test("ending_before beside starting_after, though both are payments", async () => {
    const [a, b] = [await created(), await created()];
    const answer = await call({ path: `/v1/payments?ending_before=${a}&starting_after=${b}` });
    expect(refusalOf(answer)).toMatchObject({ code: "parameter_invalid", param: "ending_before" });
  });

  test.each(["starting_after", "ending_before"])("%s of the other mode", async (param) => {
    const live = await created("live");
    expect((await call({ path: `/v1/payments?${param}=${live}`, key: "live" })).status).toBe(200);
    const answer = await call({ path: `/v1/payments?${param}=${live}` });
    expect(refusalOf(answer)).toEqual({ status: 400, code: "parameter_invalid", param });
    const unknown = await call({ path: `/v1/payments?${param}=pay_unknown` });
    expect(errorIn(unknown).message).toBe(errorIn(answer).message);
  });
});

describe.each([
  ["GET", "/v1/payments"],
  ["POST", "/v1/payments"],
  ["GET", "/v1/payments/pay_none"],
  ["POST", "/v1/payments/pay_none/refund"],
])("on %s %s", (method, path) => {
  test.each([
    ["nothing", "nothing=1"],
    ["Limit", "Limit=1"],
    ["created", "created=1"],
    ["created[gt]", "created[gt]=1"],
    ["created[gte][]", "created[gte][]=1"],
    ["amount", "amount=4999"],
    ["__proto__", "__proto__=1"],
    ["__proto__[limit]", "__proto__[limit]=1"],
    ["constructor", "constructor=1"],
    ["api_key", "api_key=1"],
    ["x".repeat(100), `${"x".repeat(3_000)}=1`],
  ])("a parameter that does not exist is named: %s", async (param, query) => {
    const answer = await call({ method, path: `${path}?${query}` });
    expect(refusalOf(answer)).toEqual({ status: 400, code: "parameter_unknown", param });
  });

  test.each([
    ["limit", "limit=1&limit=2"],
    ["limit", "limit=1&limit=1"],
    ["limit", "limit=1&status=failed&%6cimit=2"],
    ["created[gte]", "created[gte]=1&created%5Bgte%5D=1"],
    ["nothing", "nothing=1&nothing=2"],
    ["__proto__", "__proto__=1&__proto__=2"],
  ])("a parameter that is repeated is named: %s", async (param, query) => {
    const answer = await call({ method, path: `${path}?${query}` });
    expect(refusalOf(answer)).toEqual({ status: 400, code: "parameter_invalid", param });
    expect(errorIn(answer).message).toContain("must not be repeated");
  });
});

test.each(["GET /v1/payments/pay_none", "POST /v1/payments", "POST /v1/payments/pay_none/refund"])(
  "%s has no parameters, not even those of the list",
  async (endpoint) => {
    const [method = "", path = ""] = endpoint.split(" ");
    const answer = await call({ method, path: `${path}?limit=1` });
    expect(refusalOf(answer)).toEqual({ status: 400, code: "parameter_unknown", param: "limit" });
  },
);

test("a query is checked before the body", async () => {
  const answer = await call({ method: "POST", path: "/v1/payments?a=1", body: {} });
  expect(refusalOf(answer).param).toBe("a");
});
