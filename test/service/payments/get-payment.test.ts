import { describe, expect, test } from "vitest";
import type { Store } from "../../../src/service/ports/ports.ts";
import { nextId } from "../../testkit/payment-in.ts";
import { openNewStore, openTestService, startMs } from "../../testkit/service/open-test-service.ts";
import { parsedPayment } from "../../testkit/database/read.ts";

describe("retrieving a payment", () => {
  test("gives it as it was created", async () => {
    const { pay, service, test: scope } = await openTestService();
    const created = await pay(scope);
    expect(parsedPayment(await service.getPayment(scope, created.id))).toEqual(created);
  });

  test("gives its fields in the order in which it was created", async () => {
    const { service, test: scope } = await openTestService();
    const { body } = await service.createPayment(scope, {
      amount: 1,
      currency: "gbp",
      card: { number: "4242424242424242", exp_month: 12, exp_year: 2030, cvc: "123" },
    });
    const got = parsedPayment(await service.getPayment(scope, JSON.parse(body).id));
    expect(JSON.stringify(got)).toBe(body);
  });

  test("refuses an unknown id, a malformed one, another mode's and another account's alike", async () => {
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
      ].map(async (got) =>
        got.catch(({ name, code, param, message }) => [name, code, param, message]),
      ),
    );
    expect(refusals[0]).toEqual(["ServiceError", "resource_missing", "id", expect.any(String)]);
    for (const refusal of refusals) expect(refusal).toEqual(refusals[0]);
  });

  test("does not ask the store for a malformed id, which it might not be able to read", async () => {
    const asked: string[] = [];
    const store: Store = {
      ...(await openNewStore()),
      findPayment: async (_, id) => void asked.push(id),
    };
    const { service, test: scope } = await openTestService({ store });
    for (const id of ["pay_\0", "pay_\ud800", "pay_é", "", "pay_1"])
      await expect(service.getPayment(scope, id)).rejects.toThrow("There is no payment");
    expect(asked).toEqual(["pay_1"]);
  });
});
