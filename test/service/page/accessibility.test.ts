import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { everyView, openView, outcomeView } from "./page-views.ts";
import { shownPages } from "./shown-page.ts";

const { open } = shownPages();
let axe: string;
beforeAll(async () => {
  axe = await readFile(
    new URL("../../../node_modules/axe-core/axe.min.js", import.meta.url),
    "utf8",
  );
});

const sizes = [
  { width: 360, height: 740 },
  { width: 1280, height: 900 },
];

describe.each(Object.entries(everyView))("%s", (_, view) => {
  test("has nothing that keeps anyone out, on a phone and a desktop, in light and dark", async () => {
    // The policy would refuse the checker's own script, so that it is lifted here alone.
    const page = await open(view, { bypassCSP: true, reducedMotion: "reduce" });
    await page.addScriptTag({ content: axe });
    await openDetails(page);
    for (const size of sizes)
      for (const colorScheme of ["light", "dark"] as const) {
        await page.setViewportSize(size);
        await page.emulateMedia({ colorScheme });
        expect(await violations(page), `${size.width} px, ${colorScheme}`).toEqual([]);
      }
  });

  test("fits 320 px, and everything to press is 44 px high", async () => {
    const page = await open(view, { viewport: { width: 320, height: 600 } });
    await openDetails(page);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
    for (const target of await page.locator("input, button, summary, a").all()) {
      expect((await target.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    }
  });
});

test.each([
  openView({ description: "w".repeat(500), amount: Number.MAX_SAFE_INTEGER, language: "de" }),
  outcomeView("declined", { description: "w".repeat(500), reason: "w".repeat(200) }),
])("what is long wraps, and the largest amount stays in one line: $state", async (view) => {
  const page = await open(view, { viewport: { width: 320, height: 600 } });
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
  expect((await page.locator(".amount bdi").boundingBox())?.height).toBeLessThan(60);
});

test.each([360, 960, 1440])("at %d px the longest description overlaps nothing", async (width) => {
  const view = openView({
    description: "Two tickets, Saturday. ".repeat(22),
    merchant: "Books & Co",
  });
  const page = await open(view, { viewport: { width, height: 740 } });
  const [description, promise] = [page.locator(".description"), page.locator(".promise")];
  const above = await description.boundingBox();
  const below = await promise.boundingBox();
  expect(below?.y).toBeGreaterThanOrEqual((above?.y ?? 0) + (above?.height ?? 0));
});

test("the lock and the icons grow with the text", async () => {
  const page = await open(openView(), {});
  const lock = page.locator(".primary svg");
  const heightOf = async () => (await lock.boundingBox())?.height ?? 0;
  const before = await heightOf();
  await page.evaluate("document.documentElement.style.fontSize = '200%'");
  expect(await heightOf()).toBe(2 * before);
});

async function openDetails(page: Page): Promise<void> {
  for (const summary of await page.locator("summary").all()) await summary.click();
}

async function violations(page: Page): Promise<unknown> {
  return page.evaluate(`
    axe.run({ rules: { "target-size": { enabled: true } } }).then(({ violations }) =>
      violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html, failureSummary }) => [html, failureSummary]) })))
  `);
}
