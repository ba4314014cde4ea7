import { describe, expect, test } from "vitest";
import type { Store } from "../../../src/service/service.ts";
import { nextId, parsePayment } from "../../testkit/database/records.ts";
import { openNewStore, openTestService, startMs } from "../../testkit/service/open-test-service.ts";

describe("retrieving a payment", () => {
  test("returns it as it was created", async () => {
    const { pay, service, test: scope } = await openTestService();
    const created = await pay(scope);
    expect(parsePayment(await service.getPayment(scope, created.id))).toEqual(created);
  });

  test("returns its fields in the order of its creation", async () => {
    const { service, test: scope } = await openTestService();
    const { body } = await service.createPayment(scope, {
      amount: 1,
      currency: "gbp",
      card: { number: "4242424242424242", exp_month: 12, exp_year: 2030, cvc: "123" },
    });
    const found = parsePayment(await service.getPayment(scope, JSON.parse(body).id));
    expect(JSON.stringify(found)).toBe(body);
  });

  test("refuses an unknown or malformed id and one of another mode or account with the same error", async () => {
    const { pay, service, test: scope, live } = await openTestService();
    const { id } = await pay(live);
    const another = { accountId: "acct_2", livemode: true };
    const refusals = await Promise.all(
      [
        service.getPayment(scope, nextId(startMs)),
        service.getPayment(scope, "pay_"),
        service.getPayment(scope, "'; DROP TABLE payments"),
        service.getPayment(scope, `${id}\n`),
        service.getPayment(live, id.toUpperCase()),
        service.getPayment(scope, id),
        service.getPayment(another, id),
      ].map(async (found) =>
        found.catch(({ name, code, param, message }) => [name, code, param, message]),
      ),
    );
    expect(refusals[0]).toEqual(["ServiceError", "resource_missing", "id", expect.any(String)]);
    for (const refusal of refusals) expect(refusal).toEqual(refusals[0]);
  });

  test("does not query the store for a malformed id", async () => {
    const calls: string[] = [];
    const store: Store = {
      ...(await openNewStore()),
      findPayment: async (_, id) => void calls.push(id),
    };
    const { service, test: scope } = await openTestService({ store });
    for (const id of ["pay_\0", "pay_\ud800", "pay_é", "", "pay_1"])
      await expect(service.getPayment(scope, id)).rejects.toThrow("There is no payment");
    expect(calls).toEqual(["pay_1"]);
  });
});
