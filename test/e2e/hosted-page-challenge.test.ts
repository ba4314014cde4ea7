import type { BrowserContextOptions, Page } from "playwright-core";
import { expect, test } from "vitest";
import { decideAtExampleBank } from "../testkit/documented-examples.ts";
import {
  customers,
  fillIn,
  openServiceOverAdapter,
  press,
  says,
} from "../testkit/pages/in-browser.ts";

// The page that leads to the bank has no script, so each of its ways is gone once: with a script up to there, or
// without.

const { newWindow } = customers();
const openPayment = await openServiceOverAdapter();
const challenged = "4000002760003184";
const atOurPage = "Confirm the payment at your bank";
const atBank = "Is this payment yours?";
const refused = { status: "failed", decline_code: "authentication_required" };

test("a customer whom the bank asks is led there, approves, has paid, and returns to the merchant, without a script", async () => {
  const { page, bank, referrers, shop, id, address, now, log } = await goToBank({
    javaScriptEnabled: false,
  });
  expect(page.url()).toBe(bank);
  await press(page, "Approve");
  await says(page, "Payment complete");
  expect(await now()).toMatchObject({ status: "succeeded" });
  await page.waitForURL(`${shop}/thanks?order=7&payment_id=${id}&status=succeeded`);
  expect(referrers()).toEqual([undefined]);
  expect(log()).toContain("/return");
  expect(log()).not.toContain("/bank/");
  expect(log()).not.toContain(new URL(address).pathname);
});

test("a customer gets there by the link, too, where the bank's page does not open by itself, and may decline", async () => {
  const { bank, referrers, address, now } = await openPayment("live");
  const page = await newWindow({ javaScriptEnabled: false });
  const isTried = page.waitForRequest(bank);
  const openBank = await closeBank(page, bank);
  await pay(page, address);
  await isTried;
  await says(page, atOurPage);
  await openBank();
  await page.getByRole("link", { name: "Continue to your bank" }).click();
  await says(page, atBank);
  await press(page, "Decline");
  await says(page, "Payment declined");
  expect(await page.getByRole("alert").textContent()).toContain("You were not charged.");
  expect(await now()).toMatchObject(refused);
  expect(referrers()).toEqual([undefined]);
});

test("a customer who returns too early waits on a page that shows the outcome, and does not go to the bank", async () => {
  const { page, bank, address, now } = await goToBank();
  const opened: string[] = [];
  page.on("request", (request) => opened.push(request.url()));
  const response = await page.goto(`${address}/return?status=succeeded`);
  expect(response?.headers()).not.toHaveProperty("refresh");
  await says(page, "Waiting for your bank");
  await page.getByRole("link", { name: "Continue to your bank" }).waitFor();
  await page.getByRole("button", { name: "Cancel payment" }).waitFor();
  await page.waitForResponse(/\/return/);
  await says(page, "Waiting for your bank");
  expect(await now()).toMatchObject({ status: "pending" });
  await decideAtExampleBank(bank, true);
  await says(page, "Payment complete");
  expect(await now()).toMatchObject({ status: "succeeded" });
  expect(opened).not.toContain(bank);
});

test("a customer is led to a page of the service in test mode, and declines there without a script", async () => {
  const { countCharges, address, now } = await openPayment("test");
  const page = await newWindow({ javaScriptEnabled: false });
  await pay(page, address);
  await says(page, "Confirm the payment?");
  expect(page.url()).toBe(`${address}/challenge`);
  await press(page, "Decline");
  await says(page, "Payment declined");
  expect(await now()).toMatchObject(refused);
  expect(countCharges()).toBe(0);
});

test("a customer pays, is asked and approves with the keyboard alone", async () => {
  const { address, now } = await openPayment("test");
  const page = await newWindow();
  await page.goto(address);
  await page.keyboard.press("Tab"); // past the list of test cards
  await page.keyboard.press("Tab");
  for (const typed of [challenged, "1240", "123", "Ada Lovelace"]) {
    await page.keyboard.type(typed);
    await page.keyboard.press("Tab");
  }
  await page.keyboard.press("Enter");
  await says(page, "Confirm the payment?");
  await page.keyboard.press("Tab");
  expect(await page.evaluate("document.activeElement.textContent")).toBe("Approve");
  await page.keyboard.press("Enter");
  await says(page, "Payment complete");
  expect(await now()).toMatchObject({ status: "succeeded" });
});

/** A customer who has paid, and whom our page has led to the bank. */
async function goToBank(options: BrowserContextOptions = {}) {
  const payment = await openPayment("live");
  const page = await newWindow(options);
  await pay(page, payment.address);
  await says(page, atBank);
  return { ...payment, page };
}

async function pay(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await fillIn(page, challenged);
  await press(page, "Pay €49.99");
}

/** Lets a window stay where it is when it goes to the bank, until the returned function is called. */
async function closeBank(page: Page, bank: string): Promise<() => Promise<void>> {
  await page.route(bank, async (route) => route.fulfill({ status: 204 }));
  return async () => page.unroute(bank);
}
