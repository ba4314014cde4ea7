import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { html, type Html } from "../../../../src/service/web/design/html.ts";
import { renderSince, renderTime } from "../../../../src/service/web/dashboard/elements.ts";
import { renderPayments } from "../../../../src/service/web/dashboard/payments-page.ts";
import { readPaymentFilter } from "../../../../src/service/web/dashboard/payment-filters.ts";
import { renderForAdmin } from "../../../testkit/pages/dashboard-pages.ts";
import { openDocument } from "../../../testkit/pages/draw-pages.ts";
import { nowMs, paymentsIn } from "../../../testkit/pages/example-shop.ts";
import { customers } from "../../../testkit/pages/in-browser.ts";

const { newWindow } = customers();

/** The ages of moments, given in seconds from the service's time, on a page of a list. */
async function readAges(
  times: number[],
  render: (seconds: number) => Html | null = renderTime,
): Promise<string[]> {
  const at = times.map((seconds) => html`<li>${render(nowMs / 1000 + seconds)}</li>`);
  const page = await newWindow();
  await openDocument(
    page,
    renderForAdmin(() => ({
      title: "Log",
      content: html`<ul class="log">
        ${at}
      </ul>`,
    })),
  );
  return await page.locator("main time").allTextContents();
}

describe("an age", () => {
  test("is by the service's clock, which a sandbox may have moved, and not by the browser's", async () => {
    expect(await readAges([-3 * 3600, -86_400, 2 * 3600 + 60])).toEqual([
      "3 hours ago",
      "yesterday",
      "in 2 hours",
    ]);
  });

  test("of less than a minute says whether it is over", async () => {
    expect(await readAges([-30, 0, 30, 59])).toEqual([
      "just now",
      "just now",
      "in less than a minute",
      "in less than a minute",
    ]);
    expect(await readAges([-30, -60], renderSince)).toEqual([
      "for less than a minute",
      "for 1 minute",
    ]);
  });
});

const showPayments = async (page: Page, ...filters: [name: string, value: string][]) => {
  const listed = {
    items: paymentsIn("test"),
    hasNewer: false,
    hasOlder: false,
    filters: filters.map(([name, value]) => readPaymentFilter(name, value)),
  };
  await openDocument(
    page,
    renderForAdmin((visit) => renderPayments(visit, listed)),
  );
};

const openPanels = async (page: Page) =>
  page.locator("details.folded[open] > summary").allTextContents();

describe("a list's filters", () => {
  test.each([360, 1280])(
    "close when something else is pressed, which is not missed, at %d px",
    async (width) => {
      const page = await newWindow({ viewport: { width, height: 740 } });
      await showPayments(page, ["status", "failed"]);
      await page.getByText("Date", { exact: true }).click();
      const link = page.getByRole("link", { name: "Remove the filter" });
      await link.evaluate((element) => {
        element.addEventListener("click", (event: Event) => {
          event.preventDefault();
          element.textContent = "Pressed";
        });
      });
      const { x, y } = (await link.boundingBox())!;
      await page.mouse.move(x + 5, y + 5);
      await page.mouse.down();
      await page.mouse.up();
      await page.getByText("Pressed").waitFor();
      expect(await openPanels(page)).toEqual([]);
    },
  );

  test.each([360, 700, 1280])("all show their mistakes at %d px", async (width) => {
    const page = await newWindow({ viewport: { width, height: 740 } });
    await showPayments(page, ["from", "yesterday"], ["amount", "much"]);
    await page.locator("#from:focus").waitFor();
    await page.mouse.click(2, 2);
    expect(await openPanels(page)).toEqual(["Date", "More"]);
    for (const field of ["from", "amount"]) await page.locator(`#${field}`).click();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
  });
});
