import type { Route } from "playwright-core";
import { describe, expect, test } from "vitest";
import { runningService } from "../testkit/client/running-service.ts";
import { scriptedServer, text } from "../testkit/client/scripted-server.ts";
import { barriers } from "../testkit/service/barriers.ts";
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
    expect(await now()).toMatchObject({ status: "failed", decline_code: "customer_canceled" });
    await page.getByRole("link", { name: "Return to the merchant" }).click();
    await page.waitForURL(`${shop.url}/cart?payment_id=${id}&status=failed`);
  },
);

test("a customer who pays too late reads that the page has expired, is not charged, and comes back", async () => {
  const shop = await scriptedServer(text(200, "Sorry!", { "content-type": "text/html" }));
  await Promise.all(
    [true, false].map(async (javaScriptEnabled) => {
      const { id, address, now } = await hostedPayment(shortLived, {
        return_url: `${shop.url}/cart`,
      });
      const page = await newWindow({ javaScriptEnabled });
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
    }),
  );
});

test("an address that nobody was given tells nothing", async () => {
  const page = await newWindow();
  const answer = await page.goto(`${service.url}/pay/${"A".repeat(32)}`);
  expect(answer?.status()).toBe(404);
  await says(page, "This payment page is not available");
});

describe("no page that is served keeps anyone out", () => {
  test("the form, its mistakes, and what was paid", async () => {
    const { address } = await hostedPayment(slow, { description: "Two books" });
    const page = await newWindow();
    await page.goto(address);
    expect(await barriers(page)).toEqual([]);
    await fillIn(page, "4242424242424241", { expiry: "13 / 40", cvc: "1" });
    await press(page, "Pay €49.99");
    await page.getByText("Check the card number: a digit is wrong.").waitFor();
    expect(await barriers(page)).toEqual([]);
    await fillIn(page, visa);
    await press(page, "Pay €49.99");
    await says(page, "Payment complete");
    expect(await barriers(page)).toEqual([]);
  });

  test("what was canceled, and what is not there", async () => {
    const { address } = await hostedPayment(slow);
    const page = await newWindow();
    await page.goto(address);
    await press(page, "Cancel payment");
    await says(page, "Payment canceled");
    expect(await barriers(page)).toEqual([]);
    await page.goto(`${slow.url}/pay/none`);
    expect(await barriers(page)).toEqual([]);
  });

  test("what is being processed", async () => {
    const { address } = await hostedPayment(slow);
    const page = await newWindow();
    await page.goto(address);
    await fillIn(page, "4000000000000002");
    await press(page, "Pay €49.99");
    await says(page, "Processing your payment");
    const still = await newWindow(); // the page would load itself again while it is looked at
    await still.route(address, withoutRefresh, { times: 1 }); // not what its script asks when all is over
    await still.goto(address);
    await says(still, "Processing your payment");
    expect(await barriers(still)).toEqual([]);
  });
});

async function withoutRefresh(route: Route): Promise<void> {
  const response = await route.fetch();
  const { refresh: _, ...headers } = response.headers();
  await route.fulfill({ response, headers });
}
