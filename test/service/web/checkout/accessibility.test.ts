import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { barriers } from "../../../testkit/service/barriers.ts";
import { brokenLines } from "../../../testkit/pages/broken-lines.ts";
import { languages } from "../../../../src/service/web/checkout/words/find-words.ts";
import { everyView, openView, outcomeView } from "../../../testkit/pages/page-views.ts";
import { shownPages } from "../../../testkit/pages/shown-page.ts";

const { open, server } = shownPages();

const looks = [
  { width: 360, height: 740, colorScheme: "dark" },
  { width: 1280, height: 900, colorScheme: "light" },
] as const;

test.each(Object.entries(everyView))(
  "%s: has no accessibility violations on a phone in dark and on a desktop in light, and fits 320 px, where every control is at least 44 px high",
  async (_, view) => {
    const page = await open(view);
    await openDetails(page);
    for (const { colorScheme, ...size } of looks) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme });
      expect(await barriers(page)).toEqual([]);
      expect(await brokenLines(page)).toEqual([]);
    }
    await page.setViewportSize({ width: 320, height: 600 });
    expect(await measureWidth(page)).toBe(320);
    expect(await brokenLines(page)).toEqual([]);
    for (const target of await page.locator("input, button, summary, a").all()) {
      expect((await target.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    }
  },
);

test.each([
  openView({ description: "w".repeat(500), amount: Number.MAX_SAFE_INTEGER, language: "de" }),
  outcomeView("declined", { description: "w".repeat(500), merchant: "w".repeat(200) }),
])("long text wraps, and the largest amount stays on one line: $state", async (view) => {
  const page = await open(view);
  await page.setViewportSize({ width: 320, height: 600 });
  expect(await measureWidth(page)).toBe(320);
  expect((await page.locator(".amount bdi").boundingBox())?.height).toBeLessThan(60);
});

test("neither the largest amount nor an id or a time beside it breaks at any width", async () => {
  const found: object[] = [];
  const large = { amount: Number.MAX_SAFE_INTEGER, merchant: "Books & Co" };
  const views = ["en", "de", "fr"].flatMap((language) =>
    (["eur", "usd"] as const).flatMap((currency) => [
      openView({ ...large, language, currency }),
      outcomeView("paid", { ...large, language, currency }),
    ]),
  );
  for (const view of views) {
    const page = await open(view);
    for (const width of [320, 480, 959, 960]) {
      await page.setViewportSize({ width, height: 740 });
      const broken = await brokenLines(page);
      if (broken.length > 0) found.push({ state: view.state, width, broken });
    }
  }
  expect(found).toEqual([]);
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
  const page = await open(openView({ language }));
  await page.setViewportSize({ width: 320, height: 600 });
  for (const name of wordiest) {
    const view = everyView[name]!;
    server().show({ ...view, language });
    await page.reload();
    expect({ name, width: await measureWidth(page) }).toEqual({ name, width: 320 });
  }
});

test.each([360, 960, 1440])("at %d px the longest description overlaps nothing", async (width) => {
  const view = openView({
    description: "Two tickets, Saturday. ".repeat(22),
    merchant: "Books & Co",
  });
  const page = await open(view);
  await page.setViewportSize({ width, height: 740 });
  const [description, promise] = [page.locator(".description"), page.locator(".promise")];
  const above = await description.boundingBox();
  const below = await promise.boundingBox();
  expect(below?.y).toBeGreaterThanOrEqual((above?.y ?? 0) + (above?.height ?? 0));
});

test("the lock and the icons grow with the text", async () => {
  const page = await open(openView());
  const lock = page.locator(".primary svg");
  const measureHeight = async () => (await lock.boundingBox())?.height ?? 0;
  const before = await measureHeight();
  await page.evaluate("document.documentElement.style.fontSize = '200%'");
  expect(await measureHeight()).toBe(2 * before);
});

async function measureWidth(page: Page): Promise<number> {
  return page.evaluate("document.documentElement.scrollWidth");
}

async function openDetails(page: Page): Promise<void> {
  for (const summary of await page.locator("summary").all()) await summary.click();
}
