import { expect, test } from "vitest";
import { runningService } from "../testkit/client/running-service.ts";
import { scriptedServer, text } from "../testkit/client/scripted-server.ts";
import {
  customers,
  fillIn,
  hostedPayment,
  press,
  says,
  visa,
} from "../testkit/pages/in-browser.ts";

const { newWindow } = customers();
const service = runningService();
const shortLived = runningService({ hppExpiryMs: 1_000 });

// The form itself, with and without its script, has tests of its own: service/web/checkout/paying.test.ts.

test("a customer who cancels reads it, and comes back to the merchant", async () => {
  const shop = await scriptedServer(text(200, "Sorry!", { "content-type": "text/html" }));
  const { id, address, now } = await hostedPayment(service, { return_url: `${shop.url}/cart` });
  const page = await newWindow({ javaScriptEnabled: false });
  await page.goto(address);
  await press(page, "Cancel payment");
  await says(page, "Payment canceled");
  expect(await now()).toMatchObject({ status: "failed", decline_code: "customer_canceled" });
  await page.getByRole("link", { name: "Return to the merchant" }).click();
  await page.waitForURL(`${shop.url}/cart?payment_id=${id}&status=failed`);
});

test("a customer who pays too late sees that the page has expired, is not charged, and can return to the merchant", async () => {
  const shop = await scriptedServer(text(200, "Sorry!", { "content-type": "text/html" }));
  const { id, address, now } = await hostedPayment(shortLived, { return_url: `${shop.url}/cart` });
  const page = await newWindow();
  await page.goto(address);
  await fillIn(page, visa);
  const expired = { status: "failed", decline_code: "hpp_expired", card: null };
  await expect.poll(now).toMatchObject(expired);
  await press(page, "Pay €49.99");
  await says(page, "This payment page has expired");
  await page.goto(address);
  await says(page, "This payment page has expired");
  expect(await now()).toMatchObject(expired);
  await page.getByRole("link", { name: "Return to the merchant" }).click();
  await page.waitForURL(`${shop.url}/cart?payment_id=${id}&status=failed`);
});
