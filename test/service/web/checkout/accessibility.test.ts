import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import {
  barriers,
  brokenLines,
  measureAtWidths,
  showInPlace,
} from "../../../testkit/pages/draw-pages.ts";
import { languages } from "../../../../src/service/web/checkout/words/languages.ts";
import { everyView, openView, outcomeView, shownPages } from "../../../testkit/pages/shown-page.ts";
import type { PageView } from "../../../../src/service/web/checkout/page-view.ts";
import { renderPaymentPage } from "../../../../src/service/web/checkout/payment-page.ts";

const { open } = shownPages();
let page: Page;
beforeAll(async () => {
  page = await open(openView());
});

/** Shows a view without its script, which changes nothing that is looked at here. */
const show = async (view: PageView) => showInPlace(page, renderPaymentPage(view));

const looks = [
  { width: 360, height: 740, colorScheme: "dark" },
  { width: 1280, height: 900, colorScheme: "light" },
] as const;

test.each(Object.entries(everyView))(
  "%s: has no accessibility violations on a phone in dark and on a desktop in light, and fits 320 px, where every control is at least 44 px high",
  async (_, view) => {
    await show(view);
    await page.evaluate(
      "for (const each of document.querySelectorAll('details')) each.open = true",
    );
    for (const { colorScheme, ...size } of looks) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme });
      expect(await barriers(page)).toEqual([]);
      expect(await brokenLines(page)).toEqual([]);
    }
    await page.setViewportSize({ width: 320, height: 600 });
    expect(await measureWidth()).toBe(320);
    expect(await brokenLines(page)).toEqual([]);
    expect(await page.evaluate(findLowControls)).toEqual([]);
  },
);

const findLowControls = `[...document.querySelectorAll("input, button, summary, a")]
  .filter((each) => each.getBoundingClientRect().height < 44)
  .map((each) => each.outerHTML)`;

test("with the longest texts and the largest amount, nothing is wider than the page, cut off or broken at any width", async () => {
  const long = {
    amount: Number.MAX_SAFE_INTEGER,
    merchant: "w".repeat(200),
    description: "w".repeat(500),
  };
  const window = await open(openView(), {});
  // Each language with each currency and each state, by turns.
  for (const [at, language] of ["en", "de", "fr"].entries()) {
    for (const [turn, state] of (["open", "paid", "declined"] as const).entries()) {
      const currency = (at + turn) % 2 === 0 ? "eur" : "usd";
      const view = { ...long, language, currency } as const;
      const shown = state === "open" ? openView(view) : outcomeView(state, view);
      const faults = await measureAtWidths(window, renderPaymentPage(shown));
      expect({ language, currency, state, faults }).toMatchObject({ faults: [] });
    }
  }
});

/** The pages that have most to say; the others say it, too. English is measured above. */
const wordiest = [
  "open in test mode",
  "open with mistakes",
  "back from the bank",
  "declined for a merchant",
  "paid to a merchant",
  "gone",
];
const translations = Object.keys(languages).filter((language) => language !== "en");

test.each(translations)("in %s a page fits 320 px", async (language) => {
  await page.setViewportSize({ width: 320, height: 600 });
  for (const name of wordiest) {
    await show({ ...everyView[name]!, language });
    expect({ name, width: await measureWidth() }).toEqual({ name, width: 320 });
  }
});

test.each([360, 960, 1440])("at %d px the longest description overlaps nothing", async (width) => {
  await show(
    openView({ description: "Two tickets, Saturday. ".repeat(22), merchant: "Books & Co" }),
  );
  await page.setViewportSize({ width, height: 740 });
  const [description, promise] = [page.locator(".description"), page.locator(".promise")];
  const above = await description.boundingBox();
  const below = await promise.boundingBox();
  expect(below?.y).toBeGreaterThanOrEqual((above?.y ?? 0) + (above?.height ?? 0));
});

test("the lock and the icons grow with the text", async () => {
  await show(openView());
  const lock = page.locator(".primary svg");
  const measureHeight = async () => (await lock.boundingBox())?.height ?? 0;
  const before = await measureHeight();
  await page.evaluate("document.documentElement.style.fontSize = '200%'");
  expect(await measureHeight()).toBe(2 * before);
});

test("a receipt on paper offers nothing to press, and does not say that the page leads on", async () => {
  await show(outcomeView("paid", { merchant: "Books & Co" }));
  await page.emulateMedia({ media: "print" });
  const text = await page.locator("main").innerText();
  await page.emulateMedia({ media: "screen" });
  expect(text).toContain("pay_0192d3c4");
  expect(text).not.toMatch(/Return|redirected/);
});

test.each(Object.keys(languages))(
  "in %s the test cards fit a phone of 320 px",
  async (language) => {
    await show({ ...everyView["open in test mode"]!, language });
    await page.setViewportSize({ width: 320, height: 600 });
    await page.evaluate("document.querySelector('details').open = true");
    const [table, room] = await page.evaluate<[number, number]>(
      "[document.querySelector('table').offsetWidth, document.querySelector('table').parentElement.clientWidth]",
    );
    expect(table).toBeLessThanOrEqual(room);
  },
);

async function measureWidth(): Promise<number> {
  return page.evaluate("document.documentElement.scrollWidth");
}
