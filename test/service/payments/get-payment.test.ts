import { describe, expect, test } from "vitest";
import type { Store } from "../../../src/service/service.ts";
import { parsePayment } from "../../testkit/database/records.ts";
import { openNewStore, openTestService } from "../../testkit/service/open-test-service.ts";

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
