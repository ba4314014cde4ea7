import { expect, test, vi } from "vitest";
import { runningService } from "../client/running-service.ts";
import { scriptedServer, text } from "../client/scripted-server.ts";
import {
  customers,
  fillIn,
  hostedPayment,
  keepsNobodyOut,
  press,
  says,
  visa,
} from "./in-browser.ts";

const { newWindow } = customers();
const service = runningService();
const slow = runningService({ processingTimeMs: 60_000 });
const shortLived = runningService({ hppExpiryMs: 1_000 });
test.each([true, false])(
  "a customer who cancels reads it, and the merchant is told (script: %s)",
  async (javaScriptEnabled) => {
    const shop = await scriptedServer(text(200, "Sorry!", { "content-type": "text/html" }));
    const { id, address, now } = await hostedPayment(service, { return_url: `${shop.url}/cart` });
    const page = await newWindow({ javaScriptEnabled });
    await page.goto(address);
    await press(page, "Cancel payment");
    await says(page, "Payment canceled");
    if (javaScriptEnabled) await keepsNobodyOut(page);
    expect(await now()).toMatchObject({ status: "failed", decline_code: "customer_canceled" });
    await page.getByRole("link", { name: "Return to the merchant" }).click();
    await page.waitForURL(`${shop.url}/cart?payment_id=${id}&status=failed`);
  },
);

test("a customer who pays too late reads that the page has expired, and is not charged", async () => {
  await Promise.all(
    [true, false].map(async (javaScriptEnabled) => {
      const { address, now } = await hostedPayment(shortLived);
      const page = await newWindow({ javaScriptEnabled });
      await page.goto(address);
      await fillIn(page, visa);
      const expired = { status: "failed", decline_code: "hpp_expired", card: null };
      await vi.waitFor(async () => expect(await now()).toMatchObject(expired), 10_000);
      await press(page, "Pay €49.99");
      await says(page, "This payment page is not available");
      await page.goto(address);
      await says(page, "This payment page is not available");
      expect(await now()).toMatchObject(expired);
    }),
  );
});

test("a customer with a declined card reads why, also without a script", async () => {
  const { address, now } = await hostedPayment(service);
  const page = await newWindow({ javaScriptEnabled: false });
  await page.goto(address);
  await fillIn(page, "4000000000009995");
  await press(page, "Pay €49.99");
  await says(page, "Payment declined");
  expect(await page.getByRole("alert").textContent()).toMatch(/insufficient funds/);
  expect(await now()).toMatchObject({ status: "failed", decline_code: "insufficient_funds" });
});

test("an address that nobody was given says no more than an expired one", async () => {
  const page = await newWindow();
  const answer = await page.goto(`${service.url}/pay/${"A".repeat(32)}`);
  expect(answer?.status()).toBe(404);
  await says(page, "This payment page is not available");
  await keepsNobodyOut(page);
});

test("a page that waits, for a card or for an answer, keeps nobody out", async () => {
  const { address } = await hostedPayment(slow, { description: "Two books" });
  const page = await newWindow();
  await page.goto(address);
  await keepsNobodyOut(page);
  await fillIn(page, "4000000000000002");
  await press(page, "Pay €49.99");
  await says(page, "Processing your payment");
  await page.route("**/*", () => {}); // it would load itself again while it is looked at
  await keepsNobodyOut(page);
});
