import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { dashboardScript } from "../../../../src/service/web/dashboard/frame.ts";
import { barriers, measureAtWidths, openDocument } from "../../../testkit/pages/draw-pages.ts";
import { listDashboardPages, listOuterPages } from "../../../testkit/pages/dashboard-pages.ts";

let browser: Browser;
let page: Page;
beforeAll(async () => {
  browser = await chromium.connect(inject("browser"));
  page = await browser.newPage({ timezoneId: "Australia/Adelaide" });
});
afterAll(async () => browser.close());

const documents = [...listDashboardPages("longest", "live"), ...listOuterPages("longest")];

test.each(documents)(
  "with the longest data, nothing on the page %s is wider than the page, cut off or broken at any width",
  async (_, longest) => {
    expect(await measureAtWidths(page, longest, dashboardScript)).toEqual([]);
  },
);

test.each(["light", "dark"] as const)(
  "no element has a barrier in any of its states, in %s",
  async (colorScheme) => {
    const [, elements] = listDashboardPages("usual", "live").find(([name]) => name === "elements")!;
    await page.emulateMedia({ colorScheme });
    await openDocument(page, elements);
    expect(await barriers(page)).toEqual([]);
  },
);
