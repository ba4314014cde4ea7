import { expect, onTestFinished, test } from "vitest";
import type { Payment } from "../../../src/contract/payment.ts";
import { startService } from "../../../src/service/server/start-service.ts";
import {
  decideAtBank,
  secretKey,
  startStripeStandIn,
} from "../../testkit/network/stripe-stand-in.ts";
import { cardRequiringAction } from "../../testkit/network/stripe-objects.ts";

// A payment page of a service that is attached to Stripe, as a browser without scripts uses it.

/** A live payment whose customer is at the bank, at `bankUrl`. */
async function openPageAtBank() {
  const stripe = await startStripeStandIn();
  const service = await startService({ network: { stripe: { secretKey, baseUrl: stripe.url } } });
  onTestFinished(async () => service.close());
  const request = async (path: string, init: RequestInit = {}) => {
    const headers = {
      authorization: `Bearer ${service.keys.live}`,
      "content-type": "application/json",
    };
    const answer = await fetch(`${service.url}/v1/payments${path}`, { headers, ...init });
    return (await answer.json()) as Payment;
  };
  const body = JSON.stringify({ amount: 4999, currency: "eur" });
  const { id, redirect_url } = await request("/hpp", { method: "POST", body });
  const page = String(redirect_url);
  const card = { number: cardRequiringAction, expiry: "12/30", cvc: "123", name: "" };
  const paying = await fetch(page, { method: "POST", body: new URLSearchParams(card) });
  const intent = stripe.account.of(id)[0];
  const bankUrl = intent?.next_action?.redirect_to_url?.url ?? "no address";
  expect(await paying.text()).toContain(`href="${bankUrl}"`);
  return { page, bankUrl, intent, findPayment: async () => request(`/${id}`) };
}

test.each([
  ["approve", { status: "succeeded", decline_code: null }],
  ["decline", { status: "failed", decline_code: "authentication_required" }],
] as const)(
  "a customer who chooses to %s at the bank comes back to the outcome",
  async (decision, outcome) => {
    const { page, bankUrl, findPayment } = await openPageAtBank();
    expect(await findPayment()).toMatchObject({ status: "pending" });
    const back = await decideAtBank(bankUrl, decision);
    expect(back.origin + back.pathname).toBe(`${page}/return`);
    expect((await fetch(back)).status).toBe(200);
    expect(await findPayment()).toMatchObject(outcome);
  },
);

test("a customer who cancels at the bank's door is not charged, and the intent is canceled", async () => {
  const { page, intent, findPayment } = await openPageAtBank();
  await fetch(`${page}/cancel`, { method: "POST" });
  const outcome = { status: "failed", decline_code: "customer_canceled" };
  expect(await findPayment()).toMatchObject(outcome);
  await expect.poll(() => intent?.status).toBe("canceled");
});
