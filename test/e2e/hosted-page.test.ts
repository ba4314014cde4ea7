import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { PaymentsClient } from "../../src/client/client.ts";
import { toDeclineReason } from "../../src/service/domain/decline.ts";
import { runningService } from "../testkit/client/running-service.ts";
import { scriptedServer, text } from "../testkit/client/scripted-server.ts";
import { requireTerminals, runProgramInTerminal } from "../testkit/command/in-terminal.ts";
import { createServiceEnv, launcher } from "../testkit/command/run-payments.ts";
import { createTemporaryHome } from "../testkit/command/temporary-home.ts";
import {
  customers,
  fillIn,
  hostedPayment,
  press,
  says,
  visa,
} from "../testkit/pages/in-browser.ts";
import {
  createKey,
  startServing,
  createTemporaryFolder,
} from "../testkit/command/installed-command.ts";

const { newWindow } = customers();
const databaseFile = join(createTemporaryHome(), "payments.db");
const service = runningService({
  database: `sqlite:${databaseFile}`,
  processingTimeMs: 3_600_000, // a card is processed until a test has seen it
});

/** Makes a payment, or all of them, due, as if the card network had decided. */
function networkDecides(payment = "%", file = databaseFile): void {
  const database = new DatabaseSync(file, { timeout: 10_000 });
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

  test.each([true, false])(
    "with a card that is declined sees it processed, and then why (script: %s)",
    async (javaScriptEnabled) => {
      const { id, address, now } = await hostedPayment(service);
      const page = await newWindow({ javaScriptEnabled });
      await page.goto(address);
      await fillIn(page, "4000000000009995");
      await press(page, "Pay €49.99");
      await says(page, "Processing your payment");
      networkDecides(id);
      await says(page, "Payment declined");
      const reason = toDeclineReason("insufficient_funds");
      expect(await page.getByRole("alert").textContent()).toContain(reason);
      expect(await now()).toMatchObject({ status: "failed", decline_code: "insufficient_funds" });
    },
  );
});

describe("a mistake in the form", () => {
  test.each([
    [true, "4242 4242 4242 4241", "123"],
    [false, "", ""],
  ])(
    "is said beside its field, and can be corrected (script: %s)",
    async (javaScriptEnabled, keptNumber, keptCode) => {
      const { address, now } = await hostedPayment(service);
      const page = await newWindow({ javaScriptEnabled });
      await page.goto(address);
      await fillIn(page, "4242424242424241", { expiry: "01 / 20" });
      await press(page, "Pay €49.99");
      const number = page.getByRole("textbox", { name: "Card number" });
      await page.getByText("Check the card number: a digit is wrong.").waitFor();
      expect(await readDescription(page, "number")).toContain(
        "Check the card number: a digit is wrong.",
      );
      expect(await readDescription(page, "expiry")).toContain(
        "This card has expired. Use another card.",
      );
      await page.waitForFunction("document.activeElement.id === 'number'");
      expect(await number.inputValue()).toBe(keptNumber);
      expect(await page.inputValue("#cvc")).toBe(keptCode);
      expect(await page.inputValue("#name")).toBe("Ada Lovelace");
      expect(await now()).toMatchObject({ status: "pending", card: null });

      await fillIn(page, visa);
      await press(page, "Pay €49.99");
      await says(page, "Payment complete");
      expect(await now()).toMatchObject({ status: "succeeded", card: { last4: "4242" } });
    },
  );
});

describe("a payment is paid once", () => {
  test.each([
    ["5555555555554444", "both cards would pay"],
    ["4000000000009995", "one card would be declined"],
  ])("by two tabs that pay at once: %s, %s", async (other) => {
    const { address, now } = await hostedPayment(service);
    const first = await newWindow();
    const second = await first.context().newPage();
    for (const page of [first, second]) await page.goto(address);
    await fillIn(first, visa);
    await fillIn(second, other);
    await Promise.all([press(first, "Pay €49.99"), press(second, "Pay €49.99")]);
    await expect.poll(async () => (await now()).card).not.toBeNull();
    networkDecides();
    await expect.poll(async () => (await now()).status).not.toBe("pending");
    const { status, card } = await now();
    const heading = status === "succeeded" ? "Payment complete" : "Payment declined";
    await Promise.all([says(first, heading), says(second, heading)]);
    expect([visa.slice(-4), other.slice(-4)]).toContain(card?.last4);
    expect(status === "failed").toBe(card?.last4 === "9995");
  });

  test.each([
    ["4000000000000002", "Payment declined", "generic_decline"],
    [visa, "Payment complete", null],
  ])("by a tab that was left open, and by going back: %s", async (number, heading, code) => {
    const { address, now } = await hostedPayment(service);
    const page = await newWindow();
    const left = await page.context().newPage();
    for (const each of [page, left]) await each.goto(address);
    await fillIn(page, number);
    await press(page, "Pay €49.99");
    await expect.poll(async () => (await now()).card).not.toBeNull();
    networkDecides();
    await says(page, heading);
    await fillIn(left, "5555555555554444");
    await press(left, "Pay €49.99");
    await says(left, heading);
    await page.goto("about:blank");
    await page.goBack();
    await says(page, heading);
    expect(await now()).toMatchObject({ card: { last4: number.slice(-4) }, decline_code: code });
  });
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

test("a service that is killed and restarted loses neither page nor payment", async () => {
  const home = createTemporaryFolder();
  const { key } = await createKey(home);
  const before = await startServing(home, "--processing-time", "1h");
  const { port } = new URL(before.url);
  const client = new PaymentsClient({ baseUrl: before.url, apiKey: key });
  onTestFinished(async () => client.close());
  const { payments } = client;
  const body = { amount: 4999, currency: "eur" } as const;
  const made = [await payments.createHosted(body), await payments.createHosted(body)] as const;
  const page = await newWindow();
  const declined = await page.context().newPage();
  await page.goto(made[0].redirect_url ?? "");
  await declined.goto(made[1].redirect_url ?? "");
  await fillIn(page, visa);
  await fillIn(declined, "4000000000000002");
  await press(declined, "Pay €49.99");
  await says(declined, "Processing your payment");
  await declined.goto("about:blank"); // it would poll a service that is down
  await before.kill("SIGKILL");

  await startServing(home, "--port", port);
  networkDecides("%", join(home, ".local/share/payments/payments.db"));
  await press(page, "Pay €49.99");
  await says(page, "Payment complete");
  await declined.goto(made[1].redirect_url ?? "");
  await says(declined, "Payment declined");
  expect(await payments.retrieve(made[0].id)).toMatchObject({ status: "succeeded" });
  expect(await payments.retrieve(made[1].id)).toMatchObject({ decline_code: "generic_decline" });
});

/** The text that a screen reader says after a field's name. */
async function readDescription(page: Awaited<ReturnType<typeof newWindow>>, id: string) {
  const ids = (await page.getAttribute(`#${id}`, "aria-describedby")) ?? "";
  const texts = ids.split(" ").map(async (each) => page.textContent(`#${each}`));
  return (await Promise.all(texts)).join(" ");
}
