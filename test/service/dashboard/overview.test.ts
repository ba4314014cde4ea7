import { expect, test } from "vitest";
import { cardWith } from "../../contract/create-payment-body.ts";
import { openDashboard, saidIn } from "./open-dashboard.ts";

const declining = { card: cardWith({ number: "4000000000009995" }) };

test("the overview has the last 30 days in one currency, as bars and as a table", async () => {
  const { signIn, at, pay, service, accountId } = await openDashboard();
  const { get } = await signIn("viewer");
  const { created } = await pay({ amount: 1_250 });
  const { id } = await pay({ amount: 4_999 });
  await service.refundPayment({ accountId, livemode: false }, id);
  await pay(declining);
  await pay({ amount: 100, currency: "usd" });
  await service.settlePayments();

  const answer = await get(at(""));
  expect(answer.status).toBe(200);
  const said = saidIn(answer);
  expect(said).toContain("Volume 62.49 EUR");
  expect(said).toContain("Payments 3 2 succeeded, 1 failed, 0 pending");
  expect(said).toContain("Success rate 66.7 %");
  expect(said).toContain("Refunded 49.99 EUR 1 payment");
  expect(said).toContain("1 insufficient_funds The card has insufficient funds");
  const today = new Date(created * 1000).toISOString().slice(0, 10);
  expect(answer.text).toContain(`The highest is 62.49 EUR, on ${today}.`);
  expect(answer.text.match(/class="bar-of-day"/g)).toHaveLength(60);
  expect(said).toContain(`${today} 62.49 EUR 3 2 1 0 1 49.99 EUR`);

  expect(saidIn(await get(at("?currency=usd")))).toContain("Volume 1.00 USD");
  expect(saidIn(await get(at("?currency=gbp")))).toContain("Volume 62.49 EUR");
});

test("of an account and mode without payments it says how to make the first one", async () => {
  const { signIn, at, pay } = await openDashboard();
  const { get } = await signIn();
  await pay();
  expect(saidIn(await get(at("", "live")))).toContain("payments create --mode live");
});
