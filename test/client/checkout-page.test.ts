import { describe, expect, test } from "vitest";
import type { Payment } from "../../src/contract/payment.ts";
import { runningService } from "../testkit/client/running-service.ts";
import { paymentWith } from "../testkit/api-objects.ts";
import { json, scriptedServer, text } from "../testkit/client/scripted-server.ts";
import { PaymentsClient } from "../../src/client/client.ts";
import { openUntilFileEnds } from "../testkit/open-until-file-ends.ts";

// Behind a proxy that serves it below a path: the addresses of its pages are not those that the client uses.
const service = runningService({ publicUrl: "https://pay.shop.example/payments" });

async function createPage(more: { return_url?: string } = {}): Promise<Payment> {
  return await service.client().payments.createHosted({ amount: 4999, currency: "eur", ...more });
}

describe.concurrent("paying on a payment page", () => {
  test.each([
    ["visa", "approve", "succeeded", null, "4242"],
    ["amex", "approve", "succeeded", null, "0005"],
    ["authentication-required", "approve", "succeeded", null, "3184"],
    ["authentication-required", "decline", "failed", "authentication_required", "3184"],
    ["insufficient-funds", "approve", "failed", "insufficient_funds", "9995"],
  ] as const)("with %s, which the customer would %s at the bank, ends as %s", async (...row) => {
    const [testCard, challenge, status, decline_code, last4] = row;
    const { checkout, payments } = service.client();
    const page = await createPage({ return_url: "https://shop.example/thanks" });
    const paid = await checkout.pay(page, { testCard, challenge });
    const ended = { id: page.id, status, decline_code, card: { last4 } };
    expect(await payments.settled(paid)).toMatchObject(ended);
  });

  test("is continued at the bank, where an earlier attempt ended", async () => {
    const { checkout } = service.client();
    const page = await createPage();
    const token = new URL(page.redirect_url ?? "").pathname.split("/").at(-1);
    const form = { number: "4000002760003184", expiry: "12/40", cvc: "123", name: "" };
    const body = new URLSearchParams(form);
    await fetch(`${service.url}/pay/${token}`, { method: "POST", body, redirect: "manual" });
    expect(await checkout.pay(page, { testCard: "visa" })).toMatchObject({
      status: "succeeded",
      card: { last4: "3184" },
    });
  });

  test("is refused on a page that is already paid, also if the payment was read before", async () => {
    const { checkout } = service.client();
    const page = await createPage();
    const paid = await checkout.pay(page, { testCard: "visa" });
    for (const payment of [page, paid]) {
      await expect(checkout.pay(payment, { testCard: "visa" })).rejects.toMatchObject({
        name: "CheckoutError",
        reason: "closed",
      });
    }
  });

  test("sends no card to a live page", async () => {
    const live = service.client({ apiKey: service.keys.live });
    const page = await live.payments.createHosted({ amount: 1, currency: "eur" });
    const isLive = { name: "CheckoutError", reason: "live" };
    await expect(live.checkout.pay(page, { testCard: "visa" })).rejects.toMatchObject(isLive);
    const { checkout } = service.client();
    await expect(checkout.findPayment(page.redirect_url ?? "")).rejects.toMatchObject(isLive);
    expect(await live.payments.retrieve(page.id)).toEqual(page);
  });

  test("says what the page says is wrong with the card", async () => {
    const form = `<form><input name="number"><p class="mistake">Use another card.</p></form>`;
    const payment = paymentWith({ status: "pending", redirect_url: "http://a.test/pay/abc" });
    const server = await scriptedServer(text(200, form), text(422, form), json(200, payment));
    const client = new PaymentsClient({ baseUrl: server.url, apiKey: service.keys.test });
    openUntilFileEnds(async () => client.close());
    await expect(client.checkout.pay(payment, { testCard: "visa" })).rejects.toMatchObject({
      reason: "refused",
      message: "The payment page refused the card: Use another card.",
    });
  });
});

describe.concurrent("the payment of a page", () => {
  test("is found by the page's address", async () => {
    const page = await createPage();
    expect(await service.client().checkout.findPayment(page.redirect_url ?? "")).toEqual(page);
  });

  test.each([
    ["https://pay.shop.example/payments/pay/unknown", "missing"],
    ["https://pay.shop.example/payments/shop", "none"],
    ["pay", "none"],
  ])("is not found at %s", async (url, reason) => {
    const { checkout } = service.client();
    await expect(checkout.findPayment(url)).rejects.toMatchObject({ reason });
  });
});
