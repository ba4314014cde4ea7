import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { findWords } from "../../src/service/web/checkout/words/languages.ts";
import { runningService } from "../testkit/client/running-service.ts";
import { scriptedServer, text } from "../testkit/client/scripted-server.ts";
import { requireTerminals, runProgramInTerminal } from "../testkit/command/in-terminal.ts";
import { createServiceEnv, launcher } from "../testkit/command/run-payments.ts";
import { createTemporaryHome } from "../testkit/temporary.ts";
import {
  customers,
  fillIn,
  hostedPayment,
  press,
  says,
  visa,
} from "../testkit/pages/in-browser.ts";

const { words: en } = findWords("en");

const { newWindow } = customers();
const insufficient = "4000000000009995";
const databaseFile = join(createTemporaryHome(), "payments.db");
const service = runningService({
  database: `sqlite:${databaseFile}`,
  processingTimeMs: 3_600_000, // a card is processed until a test has seen it
});

/** Makes a payment, or all of them, due, as if the card network had decided. */
function networkDecides(payment = "%"): void {
  const database = new DatabaseSync(databaseFile, { timeout: 10_000 });
  database.prepare("UPDATE charges SET due_at_ms = 0 WHERE payment_id LIKE ?").run(payment);
  database.close();
}

describe("a customer who pays", () => {
  test("sees that the payment is paid, and returns to the merchant", async () => {
    const shop = await scriptedServer(text(200, "Thanks!", { "content-type": "text/html" }));
    const { id, address, now } = await hostedPayment(service, {
      return_url: `${shop.url}/thanks?order=7`,
    });
    const page = await newWindow();
    await page.goto(address);
    await fillIn(page, visa);
    await press(page, "Pay €49.99");
    await says(page, "Payment complete");
    expect(await now()).toMatchObject({
      status: "succeeded",
      card: { brand: "visa", last4: "4242", exp_month: 12, exp_year: 2040 },
      customer: { name: "Ada Lovelace" },
    });

    const back = `/thanks?order=7&payment_id=${id}&status=succeeded`;
    await page.waitForURL(shop.url + back);
    const visits = shop.requests.filter(({ path }) => path === back);
    expect(visits).toHaveLength(1);
    expect(visits[0]?.headers["referer"]).toBeUndefined();
  });

  test("with a card that is declined sees it processed, and then why, without a script", async () => {
    const { id, address, now } = await hostedPayment(service);
    const page = await newWindow({ javaScriptEnabled: false });
    await page.goto(address);
    await fillIn(page, insufficient);
    await press(page, "Pay €49.99");
    await says(page, "Processing your payment");
    networkDecides(id);
    await says(page, "Payment declined");
    expect(await page.getByRole("alert").textContent()).toContain(en.reasons.insufficient_funds);
    expect(await now()).toMatchObject({ status: "failed", decline_code: "insufficient_funds" });
  });

  test("without a script reads a mistake beside its field, and can correct it", async () => {
    const { address, now } = await hostedPayment(service);
    const page = await newWindow({ javaScriptEnabled: false });
    await page.goto(address);
    await fillIn(page, "4242424242424241", { expiry: "01 / 20" });
    await press(page, "Pay €49.99");
    const number = page.getByRole("textbox", { name: "Card number" });
    await page.locator(".mistake", { hasText: en.mistakes.number_wrong }).waitFor();
    expect(await readDescription(page, "number")).toContain(en.mistakes.number_wrong);
    expect(await readDescription(page, "expiry")).toContain(
      "This card has expired. Use another card.",
    );
    await page.waitForFunction("document.activeElement.id === 'number'");
    expect(await number.inputValue()).toBe("");
    expect(await page.inputValue("#cvc")).toBe("");
    expect(await page.inputValue("#name")).toBe("Ada Lovelace");
    expect(await now()).toMatchObject({ status: "pending", card: null });

    await fillIn(page, visa);
    await press(page, "Pay €49.99");
    await says(page, "Payment complete");
    expect(await now()).toMatchObject({ status: "succeeded", card: { last4: "4242" } });
  });
});

test("a payment is paid once by a tab that was left open, and by going back", async () => {
  const { address, now } = await hostedPayment(service);
  const page = await newWindow();
  const left = await page.context().newPage();
  for (const each of [page, left]) await each.goto(address);
  await fillIn(page, insufficient);
  await press(page, "Pay €49.99");
  await expect.poll(async () => (await now()).card).not.toBeNull();
  networkDecides();
  await says(page, "Payment declined");
  await fillIn(left, visa);
  await press(left, "Pay €49.99");
  await says(left, "Payment declined");
  await page.goto("about:blank");
  await page.goBack();
  await says(page, "Payment declined");
  const declined = { card: { last4: "9995" }, decline_code: "insufficient_funds" };
  expect(await now()).toMatchObject(declined);
});

describe("payments create --hosted --wait in a terminal", () => {
  requireTerminals();
  test("ends when the customer has paid: exit 0", async () => {
    const file = join(createTemporaryHome(), "payment.json");
    const order = ["--amount", "4999", "--currency", "eur"];
    const args = [launcher, "create", "--hosted", ...order, "--wait", "--json"];
    const env = createServiceEnv(service.url, service.keys.test);
    const terminal = runProgramInTerminal(args, { env, stdoutTo: file });
    await terminal.appears("The customer pays at ");
    await terminal.appears("\n");
    const [address = ""] = /http\S+/.exec(terminal.screen()) ?? [];
    const page = await newWindow();
    await page.goto(address);
    await fillIn(page, visa);
    await press(page, "Pay €49.99");
    networkDecides();
    await says(page, "Payment complete");
    expect(await terminal.exitCode).toBe(0);
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ status: "succeeded" });
  });
});

/** The text that a screen reader says after a field's name. */
async function readDescription(page: Awaited<ReturnType<typeof newWindow>>, id: string) {
  const ids = (await page.getAttribute(`#${id}`, "aria-describedby")) ?? "";
  const texts = ids.split(" ").map(async (each) => page.textContent(`#${each}`));
  return (await Promise.all(texts)).join(" ");
}
