import { chromium, type Browser, type Frame, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { dashboardScript } from "../../../../src/service/web/dashboard/frame.ts";
import { createKeyForm, renderKeys } from "../../../../src/service/web/dashboard/keys-page.ts";
import {
  listDashboardPages,
  listOuterPages,
  renderForAdmin,
} from "../../../testkit/pages/dashboard-pages.ts";
import {
  barriers,
  measureAtWidths,
  openDocument,
  openInFrame,
  showInPlace,
} from "../../../testkit/pages/draw-pages.ts";
import { nowMs } from "../../../testkit/pages/example-shop.ts";
import { shops } from "../../../testkit/pages/kinds-of-shops.ts";

const uneven = listDashboardPages("uneven", "test").filter(([, document]) =>
  document.includes('class="list"'),
);

let browser: Browser;
let page: Page;
let frame: Frame;
let paper: Page;
beforeAll(async () => {
  browser = await chromium.connect(inject("browser"));
  page = await browser.newPage({ timezoneId: "Australia/Adelaide" });
  frame = await openInFrame(await browser.newPage(), uneven[0]![1]);
  paper = await browser.newPage({ viewport: { width: 718, height: 1000 } });
  await paper.emulateMedia({ media: "print" });
  await openDocument(paper, uneven[0]![1]);
});
afterAll(async () => browser.close());

test.each([...listDashboardPages("longest", "live"), ...listOuterPages("longest")])(
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

test.each(uneven)(
  "the tables of %s have headings apart, columns of a readable width and no more than their box, from 320 to 1440 px",
  async (_, document) => {
    await showInPlace(frame, document, dashboardScript);
    expect(await frame.evaluate(findCramped)).toEqual([]);
  },
);

test("a payment without a customer has its description under its own heading, in line with its row", async () => {
  const [, document] = uneven.find(([name]) => name === "payments")!;
  await showInPlace(frame, document, dashboardScript);
  const places = await frame.evaluate(`(() => {
    frameElement.style.width = "1280px";
    const list = (selector, measure) => [...new Set([...document.querySelectorAll(selector)].map(measure))];
    return {
      lefts: list(".list .beneath", (each) => each.getBoundingClientRect().left),
      heights: list(".list tbody tr:not(:last-child)", (each) => each.offsetHeight),
    };
  })()`);
  expect(places).toEqual({ lefts: [expect.any(Number)], heights: [expect.any(Number)] });
});

test("all that a key may is shown, at any width", async () => {
  const [key] = shops.usual("test").keys;
  const grant = { permissions: ["create", "refund", "webhooks"], max_refund: 2 ** 53 - 1 } as const;
  const form = createKeyForm("");
  const keys = [{ ...key!, ...grant }];
  const document = renderForAdmin((visit) => renderKeys(visit, keys, { form, nowMs }));
  await showInPlace(frame, document);
  const hidden = await frame.evaluate(`[320, 768, 1280, 1440].map((width) => {
    frameElement.style.width = width + "px";
    const grant = [...document.querySelectorAll("td span")].find((each) => /^Create, refund/.test(each.textContent));
    return grant.scrollHeight - grant.clientHeight;
  })`);
  expect(hidden).toEqual([0, 0, 0, 0]);
});

/** At each width that is wrong, the first heading over another one, narrow column, or table beyond its box. */
const findCramped = `(() => {
  const found = [];
  const measure = (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return range.getBoundingClientRect();
  };
  const check = (list) => {
    const table = list.querySelector("table");
    if (table.scrollWidth > list.clientWidth) return "a table of " + table.scrollWidth;
    if (getComputedStyle(table).display !== "table") return undefined;
    const headings = [...table.querySelectorAll("thead th")].flatMap((th) =>
      th.querySelector(".pair") ? [...th.querySelectorAll("span")].filter((each) => each.offsetWidth > 0) : [th]);
    for (const [index, each] of headings.entries()) {
      const next = headings[index + 1];
      if (next && measure(each).right > measure(next).left) return "over each other: " + each.textContent + next.textContent;
    }
    const isNarrow = (each) => each.matches(".any")
      ? each.offsetWidth < 128
      : getComputedStyle(each.parentElement).display === "flex" && each.offsetWidth < 96;
    const narrow = [...table.querySelectorAll("thead .any, thead .pair > *")].find(isNarrow);
    return narrow && "a narrow column: " + narrow.textContent.trim() + " " + narrow.offsetWidth;
  };
  // A list on a page narrower than 48rem is no table, and only its overflow can be wrong: it grows with each step down.
  for (let width = 320; width <= 1440; width += width < 760 ? 40 : 10) {
    frameElement.style.width = width + "px";
    for (const list of document.querySelectorAll(".list")) {
      const fault = check(list);
      if (fault) found.push(width + ": " + fault);
    }
  }
  return found;
})()`;

test.each([...listDashboardPages("full", "test"), ...listDashboardPages("longest", "test")])(
  "on paper, the page %s begins on the first sheet, and no text of it is cut off",
  async (_, document) => {
    await showInPlace(paper, document, dashboardScript);
    expect(await paper.evaluate(findFaults)).toEqual([]);
  },
);

/** The elements, other than rows, that are longer than half a sheet but may not be divided; and those whose text is cut off. */
const findFaults = `[...document.querySelectorAll("main, main *")].flatMap((element) => {
  const { breakInside, overflowX } = getComputedStyle(element);
  const name = element.tagName.toLowerCase() + "." + element.className;
  if (element.offsetHeight > 500 && !element.matches("tr") && breakInside !== "auto") return [name + " is not divided"];
  if (element.closest(".visually-hidden, svg") || element.clientWidth === 0 || overflowX === "visible") return [];
  const isCut = element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1;
  return isCut ? [name + " is cut off: " + element.textContent.slice(0, 30)] : [];
}).slice(0, 3)`;
