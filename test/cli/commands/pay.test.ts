import { describe, expect, test } from "vitest";
import type { Payment } from "../../../src/contract/payment.ts";
import { body, runningService } from "../../testkit/client/running-service.ts";
import {
  createServiceEnv,
  parseError,
  parsePayment,
  runPayments,
  type Ran,
} from "../../testkit/command/run-payments.ts";

const service = runningService();

async function pay(page: string | null, ...flags: string[]): Promise<Ran> {
  return await runPayments(["pay", page ?? "", ...flags], {
    env: createServiceEnv(service.url, service.keys.test),
  });
}

async function createPage(): Promise<Payment> {
  return await service.client().payments.createHosted({ amount: 4999, currency: "eur" });
}

const visa = ["--test-card", "visa", "--json"];

describe.concurrent("payments pay", () => {
  test("pays on the page of a payment, by its id or the page's address, and prints it", async () => {
    const [one, two] = [await createPage(), await createPage()];
    for (const [{ id }, page] of [[one, one.id] as const, [two, two.redirect_url] as const]) {
      const payment = parsePayment(await pay(page, ...visa));
      expect(payment).toMatchObject({ id, status: "succeeded", card: { last4: "4242" } });
      expect(await service.client().payments.retrieve(id)).toEqual(payment);
    }
  });

  test("waits for the outcome of a card that is declined", async () => {
    const { id } = await createPage();
    const ran = await pay(id, "--test-card", "expired-card", "--expect", "expired_card", "--json");
    expect(ran.exitCode).toBe(0);
    expect(parsePayment(ran)).toMatchObject({ id, status: "failed" });
  });

  test("lets the customer decline the bank's challenge", async () => {
    const { id } = await createPage();
    const decline = ["--test-card", "authentication-required", "--challenge", "decline"];
    const ran = await pay(id, ...decline, "--wait");
    expect(ran.exitCode).toBe(3);
    expect(ran.stdout).toMatch(/\nDeclined +authentication_required\n/);
  });

  test("exits with 6 on a page that is paid or canceled", async () => {
    const { id, redirect_url } = await createPage();
    await fetch(`${redirect_url}/cancel`, { method: "POST", redirect: "manual" });
    const canceled = await pay(id, ...visa);
    expect(canceled.exitCode).toBe(6);
    const message = "The payment page takes no card: it was canceled.";
    expect(parseError(canceled)).toMatchObject({ code: "page_closed", message });
    const paid = await createPage();
    await pay(paid.id, ...visa);
    expect((await pay(paid.redirect_url, ...visa)).exitCode).toBe(6);
  });

  test.each([
    ["a payment without a page", async () => (await service.client().payments.create(body)).id],
    ["a page of another service", async () => "http://127.0.0.1:1/pay/unknown"],
    ["an address that is no page's", async () => `${service.url}/v1/payments`],
    ["what is no id", async () => "order-1"],
    [
      "a live page",
      async () => {
        const { payments } = service.client({ apiKey: service.keys.live });
        return (await payments.createHosted({ amount: 1, currency: "eur" })).redirect_url;
      },
    ],
  ])("exits with 2 for %s", async (_, findPage) => {
    expect((await pay(await findPage(), ...visa)).exitCode).toBe(2);
  });

  test("exits with 2 in live mode, and on the embedded service, which has no pages", async () => {
    const { id, redirect_url } = await createPage();
    const env = createServiceEnv(service.url, service.keys.live);
    const live = await runPayments(["pay", id, ...visa], { env });
    expect(live.exitCode).toBe(2);
    expect(parseError(live)["message"]).toMatch(/but the mode is live\. Nothing was sent\.$/);
    expect((await runPayments(["pay", redirect_url ?? "", ...visa])).exitCode).toBe(2);
    expect(await service.client().payments.retrieve(id)).toMatchObject({ status: "pending" });
  });
});
