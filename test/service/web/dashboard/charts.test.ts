import { chromium, type Browser } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { findDay, formatDay } from "../../../../src/runtime/time.ts";
import { addFigures } from "../../../../src/service/reports/sum-figures.ts";
import { groupDays, renderBarChart } from "../../../../src/service/web/dashboard/bar-chart.ts";
import { renderPage } from "../../../../src/service/web/dashboard/frame.ts";
import { openInFrame, showInPlace } from "../../../testkit/pages/draw-pages.ts";
import { nowMs } from "../../../testkit/pages/example-shop.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await chromium.connect(inject("browser"));
});
afterAll(async () => browser.close());

/** A chart of the last days, alone on a page. */
function renderChart(count: number): string {
  const today = findDay(nowMs);
  const days = Array.from({ length: count }, (_, index) => ({
    ...addFigures([]),
    day: formatDay(today - count + 1 + index),
    payments: 1,
  }));
  const content = renderBarChart(groupDays(days, nowMs).spans, {
    name: "Payments",
    value: ({ payments }) => payments * 12_000,
    format: String,
    exponent: 0,
  });
  return renderPage({ title: "Chart", content }, (path) => path);
}

test("the dates below a chart stand apart, whatever its period, on a phone and beside another chart", async () => {
  const counts = [
    ...Array.from({ length: 31 }, (_, index) => index + 1),
    ...Array.from({ length: 27 }, (_, index) => 32 + index * 7),
    ...Array.from({ length: 13 }, (_, index) => 220 + index * 15),
  ];
  const frame = await openInFrame(await browser.newPage(), renderChart(7));
  const close = [];
  for (const count of counts) {
    await showInPlace(frame, renderChart(count));
    close.push(...(await frame.evaluate<string[]>(findCloseDates)).map((at) => [count, at]));
  }
  expect(close).toEqual([]);
});

/** The widths of the page at which two dates have less than 4 px between them, or there are none. */
const findCloseDates = `(() => {
  const found = [];
  for (let width = 320; width <= 560; width += 10) {
    frameElement.style.width = width + "px";
    const dates = [...document.querySelectorAll(".dates text")].map((each) => each.getBoundingClientRect()).filter((each) => each.width > 0);
    if (dates.length === 0 || dates.some(({ left }, index) => index > 0 && left - dates[index - 1].right < 4)) found.push(width);
  }
  return found;
})()`;
