import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { readTypedCard } from "../../../../src/service/checkout/typed-card.ts";
import { en } from "../../../../src/service/web/checkout/words/en.ts";
import { openView, shownPages } from "../../../testkit/pages/shown-page.ts";

const { open, server } = shownPages();
const card = { number: "4242424242424242", expiry: "12 / 30", cvc: "123", name: "Ada Lovelace" };

async function fillIn(page: Page): Promise<void> {
  for (const [name, value] of Object.entries(card)) await page.fill(`#${name}`, value);
}

async function waitForAnswer(page: Page): Promise<void> {
  await page.getByRole("heading", { name: "not available" }).waitFor();
}

test("the Tab key follows the reading order", async () => {
  const page = await open(openView({ livemode: false }));
  const focused: unknown[] = [];
  for (let i = 0; i < 7; i++) {
    await page.keyboard.press("Tab");
    focused.push(
      await page.evaluate("document.activeElement.id || document.activeElement.textContent.trim()"),
    );
  }
  expect(focused).toEqual([
    "Test cards",
    "number",
    "expiry",
    "cvc",
    "name",
    "Pay €49.99",
    "Cancel payment",
  ]);
});

test("the page focuses the first mistake", async () => {
  const page = await open(openView({ mistakes: { cvc: "cvc_back", name: "name_length" } }));
  await expect.poll(async () => page.evaluate("document.activeElement.id")).toBe("cvc");
});

test.each([true, false])("the form is sent with the typed card (script: %s)", async (script) => {
  const page = await open(openView({ livemode: false }), { javaScriptEnabled: script });
  await page.click("summary");
  expect(await page.getByText("3782 822463 10005").isVisible()).toBe(true);
  await fillIn(page);
  await page.getByRole("button", { name: "Pay €49.99" }).click();
  await waitForAnswer(page);
  const number = script ? "4242 4242 4242 4242" : card.number;
  expect(server().posts).toEqual([{ path: "/pay/token", fields: { ...card, number } }]);
});

test.each([true, false])("canceling needs no card (script: %s)", async (javaScriptEnabled) => {
  const page = await open(openView(), { javaScriptEnabled });
  await page.getByRole("button", { name: "Cancel payment" }).click();
  await waitForAnswer(page);
  expect(server().posts).toEqual([{ path: "/pay/token/cancel", fields: {} }]);
});

/** The window of the next cases, none of which sends its form. */
let form: Page | undefined;

test.each([
  [{ number: "4242424242424241" }, "number"],
  [{ expiry: "13 / 30" }, "expiry"],
  [{ expiry: "10 / 26", cvc: "12" }, "expiry"],
  [{ cvc: "1234" }, "cvc"],
  [{ number: "", expiry: "", cvc: "", name: "" }, "number"],
  [{ name: "1234" }, "name"],
])(
  "with %o the form is not sent, the input stays, and the page shows the service's mistakes",
  async (typed, id) => {
    const page = (form ??= await open(openView()));
    await fillIn(page);
    for (const [field, value] of Object.entries(typed)) await page.fill(`#${field}`, value);
    await page.getByRole("button", { name: "Pay €49.99" }).click();
    await page.waitForFunction(`document.activeElement.id === "${id}"`);
    const left = Object.fromEntries(
      await Promise.all(
        Object.keys(card).map(async (name) => [name, await page.inputValue(`#${name}`)]),
      ),
    ) as typeof card;
    expect({ ...left, number: left.number.replaceAll(" ", "") }).toEqual({ ...card, ...typed });
    const read = readTypedCard({ ...card, ...typed }, openView().nowMs);
    for (const name of Object.keys(card)) {
      const mistake = "mistakes" in read && read.mistakes[name as keyof typeof card];
      expect(await page.textContent(`#${name}-mistake`)).toBe(mistake ? en.mistakes[mistake] : "");
    }
    expect(server().posts).toEqual([]);
  },
);

test("after a mistake the corrected form is sent", async () => {
  const page = await open(openView());
  await page.getByRole("button", { name: "Pay €49.99" }).click();
  await fillIn(page);
  await page.getByRole("button", { name: "Pay €49.99" }).click();
  await waitForAnswer(page);
  expect(server().posts).toHaveLength(1);
});

test("a double click sends one payment", async () => {
  const page = await open(openView());
  await fillIn(page);
  server().answerNothing();
  await page.getByRole("button", { name: "Pay €49.99" }).dblclick();
  await expect.poll(listPaths).toEqual(["/pay/token"]);
  expect(await page.getByRole("button", { name: "Paying…" }).isDisabled()).toBe(true);
  expect(await page.getByRole("button", { name: "Cancel payment" }).isDisabled()).toBe(true);
  expect(await page.textContent("#progress")).toBe("Paying…");

  await page.evaluate("document.forms[0].requestSubmit()");
  await restorePage(page);
  await page.getByRole("button", { name: "Cancel payment" }).click();
  await expect.poll(listPaths).toEqual(["/pay/token", "/pay/token/cancel"]);
});

test("a page that the browser restores can be used again", async () => {
  const page = await open(openView());
  await fillIn(page);
  server().answerNothing();
  await page.press("#name", "Enter");
  await page.getByRole("button", { name: "Paying…" }).waitFor();
  await restorePage(page);
  expect(await page.textContent("#progress")).toBe("");
  await page.getByRole("button", { name: "Pay €49.99" }).click();
  await expect.poll(listPaths).toEqual(["/pay/token", "/pay/token"]);
});

test("the brand of a restored number is shown again", async () => {
  const page = await open(openView());
  await fillIn(page);
  await page.getByRole("button", { name: "Pay €49.99" }).click();
  await waitForAnswer(page);
  await page.goBack();
  expect(await page.inputValue("#number")).toBe("4242 4242 4242 4242");
  expect(await page.textContent("#brand")).toBe("Visa");
});

function listPaths(): string[] {
  return server().posts.map(({ path }) => path);
}

/** Sends the event of a browser that restores a page. */
async function restorePage(page: Page): Promise<void> {
  await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");
}
