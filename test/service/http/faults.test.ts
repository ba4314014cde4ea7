import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { Unavailable } from "../../../src/runtime/failures.ts";
import type { Store } from "../../../src/service/service.ts";
import { bodyWith, cardWith } from "../../testkit/api-objects.ts";
import { fakeNetwork } from "../../testkit/network/fake-network.ts";
import { type Call, errorIn, openAppForTest, refusalOf } from "../../testkit/app/open-app.ts";

const key = { "idempotency-key": "k" };
const create: Call = { method: "POST", body: bodyWith({}) };

/** A method of the store that fails, and a request that needs it. */
const failing: [keyof Store, Call][] = [
  ["findKey", {}],
  ["findAccount", {}],
  ["listPayments", {}],
  ["findPayment", { path: "/v1/payments/pay_x" }],
  ["findPayment", { path: "/v1/payments?starting_after=pay_x" }],
  ["findPaymentWithCharge", { method: "POST", path: "/v1/payments/pay_x/refund" }],
  ["createPayment", create],
  ["createPayment", { ...create, headers: key }],
  ["findStoredResponse", { ...create, headers: key }],
];

function failMethod(method: keyof Store, error: unknown) {
  return (real: Store): Store => ({
    ...real,
    [method]: async () => {
      throw error;
    },
  });
}

describe("while the store is unavailable", () => {
  test.each(failing)("a request that needs %s is answered 503", async (method, request) => {
    const away = new Unavailable("/var/db/payments.db: the disk is full");
    const { call, logged } = await openAppForTest({ store: failMethod(method, away) });
    const answer = await call(request);
    const refusal = { status: 503, code: "service_unavailable", param: null };
    expect(refusalOf(answer)).toEqual(refusal);
    expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
    expect(answer.text).not.toContain("/var/db");
    const error = logged.find(({ level }) => level === "error");
    expect(error?.fields).toMatchObject({
      request_id: answer.headers["service-request-id"],
      err: expect.objectContaining({ message: "/var/db/payments.db: the disk is full" }),
    });
  });

  test("an unknown path is answered 503, too, because the key cannot be checked", async () => {
    const away = new Unavailable("away");
    const { call } = await openAppForTest({ store: failMethod("findKey", away) });
    expect(refusalOf(await call({ path: "/v1/nothing" })).status).toBe(503);
    expect(refusalOf(await call({ path: "/v1/%zz" })).status).toBe(503);
    expect(refusalOf(await call({ key: null })).status).toBe(401);
    expect((await call({ path: "/docs/errors", key: null })).status).toBe(200);
  });
});

test.each(["charge", "refund"])(
  "a %s is answered 503 and not stored while the network is unavailable",
  async (method) => {
    const fake = fakeNetwork();
    const { call } = await openAppForTest({ network: fake.networkOf });
    const { text } = await call(create);
    const path = `/v1/payments/${(JSON.parse(text) as { id: string }).id}/refund`;
    const request = method === "refund" ? { method: "POST", path } : create;
    const before = await call({});
    fake.isFull = true;
    expect(refusalOf(await call({ ...request, headers: key })).status).toBe(503);
    expect((await call({})).text).toBe(before.text);
    fake.isFull = false;
    expect((await call({ ...request, headers: key })).status).toBeLessThan(300);
    expect(fake.calls.at(-1)?.[0]).toBe(method);
  },
);

describe("a fault of the service", () => {
  const faults: [string, unknown][] = [
    ["an error", new Error("SELECT secret FROM payments")],
    ["an error with a status", Object.assign(new Error("SELECT secret"), { statusCode: 404 })],
    ["an error with a cause", new Error("no", { cause: new Error("SELECT secret") })],
    ["a text", "SELECT secret"],
  ];

  test.each(faults)("which is %s, is answered 500 without its message", async (_, fault) => {
    for (const [method, request] of failing) {
      const { call, logged } = await openAppForTest({ store: failMethod(method, fault) });
      const answer = await call(request);
      expect(refusalOf(answer)).toEqual({ status: 500, code: "internal_error", param: null });
      expect(answer.text).not.toMatch(/SELECT|secret|\.ts/);
      const error = logged.find(({ level }) => level === "error");
      expect(error?.fields).toMatchObject({ request_id: errorIn(answer).request_id });
      expect(inspect(error?.fields)).toContain("SELECT secret");
    }
  });

  test("is logged without the card in its message", async () => {
    const card = cardWith({ number: "5555555555554444", cvc: "9876" });
    const { call, keys, logged } = await openAppForTest({
      network: (real) => ({
        ...real,
        charge: async (_, charged) => {
          const said = `refused ${charged.number} for ${keys.test}`;
          const cause = Object.assign(new Error(said), { charged });
          throw Object.assign(new Error(said, { cause }), { charged });
        },
      }),
    });
    const answer = await call({ method: "POST", body: bodyWith({ card }) });
    expect(answer.status).toBe(500);
    const lines = logged.map(({ fields }) => inspect(fields, { depth: 20 })).join("\n");
    expect(lines).toContain("refused");
    expect(lines).not.toMatch(/55555555|4444|9876/);
    expect(lines).not.toContain(keys.test.slice(12, 24));
  });
});
