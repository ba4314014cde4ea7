import { afterAll, describe, expect, test } from "vitest";
import type { Route } from "../../../src/contract/route.ts";
import { routes } from "../../../src/contract/routes.ts";
import { type Call, errorIn, openApp, refusalOf } from "../../testkit/app/open-app.ts";

// The behaviour that all routes of the API share, tested for each in the contract's table.

const { call, close } = await openApp();
afterAll(close);

const prefixes = { payments: "pay", events: "evt", webhook_endpoints: "we" };
const allMethods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE"];
const pathOf = ({ path }: Route) =>
  path.replace(":id", `${prefixes[path.split("/")[2] as keyof typeof prefixes]}_none`);
const send = async (route: Route, more: Call = {}) =>
  call({ method: route.method, path: pathOf(route), ...more });
const refused = (code: string, param: string | null = null, status = 400) => ({
  status,
  code,
  param,
});
const all = Object.entries<Route>(routes);
const matches = (path: string, route: Route) =>
  new RegExp(`^${route.path.replaceAll(/:\w+/g, "[^/]*")}$`).test(path);

describe.each(all)("%s", (name, route) => {
  const path = pathOf(route);

  test("checks the key before anything else", async () => {
    const headers = { "service-version": "today", "idempotency-key": "a b" };
    const requests: Call[] = [
      { headers, path: `${path}?nothing=1` },
      { headers: { authorization: "Bearer x" } },
      ...["{", "a=1", "x".repeat(70_000)].map((body) => ({ method: "POST", body })),
      ...allMethods.map((other) => ({ method: other })),
    ];
    for (const request of requests) {
      const answer = await send(route, { key: null, ...request });
      expect(refusalOf(answer)).toEqual(refused("invalid_api_key", null, 401));
      expect(answer.headers["www-authenticate"]).toBe("Bearer");
      for (const header of ["allow", "service-version", "service-network"])
        expect(answer.headers[header]).toBeUndefined();
    }
  });

  test("names the methods of its path if another is used, before it reads the body", async () => {
    const methods = Object.values<Route>(routes)
      .filter((each) => matches(path, each))
      .map((each) => each.method);
    const allow = [...new Set(methods.flatMap((each) => (each === "GET" ? [each, "HEAD"] : each)))];
    for (const other of allMethods.filter((each) => !allow.includes(each))) {
      for (const body of [{}, { body: "{" }, { body: "x".repeat(70_000), type: "nonsense" }]) {
        const answer = await send(route, { method: other, ...body });
        expect(refusalOf(answer)).toEqual(refused("method_not_allowed", null, 405));
        expect(answer.headers["allow"]).toBe(allow.join(", "));
        expect(errorIn(answer).message).toContain(allow.join(" or "));
      }
    }
  });

  test.each([
    ["nothing", "nothing=1"],
    ["created[gte][]", "created[gte][]=1"],
    ["__proto__", "__proto__=1"],
    ["constructor", "constructor=1"],
    ["api_key", "api_key=1"],
    ["x".repeat(100), `${"x".repeat(3_000)}=1`],
  ])("names the parameter %s, which it does not have", async (param, query) => {
    const needed = name === "listAllDeliveries" ? "&payment=pay_1" : "";
    const answer = await send(route, { path: `${path}?${query}${needed}` });
    expect(refusalOf(answer)).toEqual(refused("parameter_unknown", param));
  });

  test("names a parameter that is repeated", async () => {
    for (const query of ["limit=1&limit=1", "limit=1&a=2&%6cimit=2"]) {
      const answer = await send(route, { path: `${path}?${query}` });
      expect(refusalOf(answer)).toEqual(refused("parameter_invalid", "limit"));
      expect(errorIn(answer).message).toContain("must not be repeated");
    }
  });

  test("answers with the version applied, and refuses a malformed version before it reads the body", async () => {
    expect((await send(route)).headers["service-version"]).toBe("2026-11-01");
    const headers = { "service-version": "latest" };
    const malformed = await send(route, { headers });
    expect(refusalOf(malformed)).toEqual(refused("parameter_invalid", "Service-Version"));
    expect(malformed.headers["service-version"]).toBe("2026-11-01");
  });

  test("has the header Service-Network in live mode, and not in test mode", async () => {
    expect((await send(route, { key: "live" })).headers["service-network"]).toBe("simulator");
    expect((await send(route)).headers["service-network"]).toBeUndefined();
  });
});

describe.each(all.filter(([, { method }]) => method === "POST"))("%s", (name, route) => {
  test("accepts only a JSON object of at most 64 KiB as its body", async () => {
    for (const body of ["[]", "{"])
      expect(refusalOf(await send(route, { body }))).toEqual(refused("invalid_json"));
    for (const type of ["text/plain", "application/x-www-form-urlencoded", null])
      expect(refusalOf(await send(route, { body: "{}", type })).status).toBe(415);
    const body = `{}${" ".repeat(64 * 1024)}`;
    expect(refusalOf(await send(route, { body })).status).toBe(413);
  });

  test.each(["nothing", "constructor"])(
    "names the field %s, which it does not have",
    async (field) => {
      const { body } = route;
      const answer = await send(route, { body: { ...fillRequired(body), [field]: 1 } });
      expect(refusalOf(answer)).toEqual(refused("parameter_unknown", field));
    },
  );

  test("refuses a malformed idempotency key, and does not repeat a card number in it", async () => {
    for (const key of ["a b", "", "k".repeat(256), "4242-4242-4242-4242"]) {
      const answer = await send(route, { headers: { "idempotency-key": key }, body: "{" });
      expect(refusalOf(answer)).toEqual(refused("parameter_invalid", "Idempotency-Key"));
      expect(answer.text).not.toContain("4242-4242");
    }
  });
});

test.each(all.filter(([, { method }]) => method !== "POST"))(
  "%s ignores the idempotency key",
  async (_name, route) => {
    const { status } = await send(route);
    for (const key of ["", "a b", "k".repeat(256)])
      expect((await send(route, { headers: { "idempotency-key": key } })).status).toBe(status);
  },
);

/** The required fields, because a missing one would be reported before an unknown one. */
function fillRequired(schema: Route["body"]): object {
  const missing = schema?.safeParse({}).error?.issues.map(({ path }) => path[0]) ?? [];
  const values: Record<string, unknown> = {
    amount: 1,
    currency: "eur",
    card: { number: "4242424242424242", exp_month: 12, exp_year: 2040, cvc: "123" },
    url: "https://shop.example",
    delivery: "del_1",
    delivered: true,
    since: 0,
  };
  return Object.fromEntries(missing.map((field) => [field, values[String(field)]]));
}
