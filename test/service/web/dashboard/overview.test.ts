import { expect, test } from "vitest";
import type { Payment } from "../../../../src/contract/payment.ts";
import { cardWith } from "../../../testkit/create-payment-body.ts";
import { publicUrl } from "../../../testkit/app/open-app.ts";
import { openDashboard, textOf } from "../../../testkit/pages/open-dashboard.ts";

const declining = { card: cardWith({ number: "4000000000009995" }) };

test("the overview shows the last 30 days in one currency, as bars and as a table", async () => {
  const { signIn, at, pay, service, accountId, call, submit } = await openDashboard();
  const { get } = await signIn("viewer");
  const { created } = await pay({ amount: 1_250 });
  const { id } = await pay({ amount: 4_999 });
  await service.refundPayment({ accountId, livemode: false }, id);
  await pay(declining);
  await pay({ amount: 100, currency: "usd" });
  const hosted = { method: "POST", path: "/v1/payments/hpp" };
  const page = await call({ ...hosted, body: { amount: 100, currency: "eur" } });
  const { redirect_url: address } = JSON.parse(page.text) as Payment;
  await submit(`${new URL(address ?? "").pathname}/cancel`);
  await service.settlePayments();

  const answer = await get(at(""));
  expect(answer.status).toBe(200);
  const text = textOf(answer);
  expect(text).toContain("Volume 62.49 EUR");
  expect(text).toContain("Payments 4 2 succeeded, 1 declined, 1 never paid Success rate");
  expect(text).toContain("Success rate 66.7 %");
  expect(text).toContain("Refunded 49.99 EUR 1 payment");
  expect(text).toContain("insufficient_funds The card has insufficient funds");
  const today = new Date(created * 1000).toISOString().slice(0, 10);
  expect(answer.text).toContain(`The highest is 62.49\u00a0EUR, on ${today}.`);
  expect(answer.text.match(/class="bar-of-day"/g)).toHaveLength(60);
  expect(answer.text).toMatch(new RegExp(`<th scope="row" class="">${today}</th>`));
  expect(text).toContain(`${today} 62.49 EUR 4 2 1 1 0 1 49.99 EUR`);

  expect(textOf(await get(at("?currency=usd")))).toContain("Volume 1.00 USD");
  expect(textOf(await get(at("?currency=gbp")))).toContain("Volume 62.49 EUR");
});

test("a sum is grouped, and marked if it is rounded", async () => {
  const { signIn, at, pay } = await openDashboard();
  const { get } = await signIn();
  await pay({ amount: Number.MAX_SAFE_INTEGER });
  expect(textOf(await get(at("")))).toContain("Volume 90,071,992,547,409.91 EUR");
  await pay({ amount: Number.MAX_SAFE_INTEGER });
  expect(textOf(await get(at("")))).toContain("Volume about 180,143,985,094,819.82 EUR");
});

test("without payments the overview shows how to create one, but not in live mode", async () => {
  const { signIn, at } = await openDashboard();
  const [admin, viewer] = [await signIn("admin"), await signIn("viewer")];
  const commands = [
    `payments login --base-url ${publicUrl} --mode test`,
    "payments create --mode test --amount 4999 --currency eur --test-card visa",
  ].join(" ");
  for (const path of ["", "/payments"]) {
    const page = await admin.get(at(path));
    expect(textOf(page)).toContain(commands);
    expect(page.text.slice(page.text.indexOf("<main"))).toContain(`href="${at("/keys")}"`);
    const viewerPage = await viewer.get(at(path));
    expect(textOf(viewerPage)).toContain(commands);
    expect(viewerPage.text).not.toContain("/keys");
    const live = textOf(await admin.get(at(path, "live")));
    expect(live).toContain("Payments made with a live key will be here.");
    expect(live).not.toMatch(/payments (?:login|create)/);
  }
});
