import { expect, test } from "vitest";
import { listDashboardPages } from "../../../testkit/pages/dashboard-pages.ts";
import { openDocument } from "../../../testkit/pages/draw-pages.ts";
import { customers } from "../../../testkit/pages/in-browser.ts";

const { newWindow } = customers();

test.each([...listDashboardPages("full", "test"), ...listDashboardPages("longest", "test")])(
  "on paper, the page %s begins on the first sheet, and no text of it is cut off",
  async (_, document) => {
    const page = await newWindow({ viewport: { width: 718, height: 1000 } });
    await page.emulateMedia({ media: "print" });
    await openDocument(page, document);
    expect(await page.evaluate(findFaults)).toEqual([]);
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
