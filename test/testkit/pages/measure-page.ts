import type { Page } from "playwright-core";
import { findBrokenLines } from "./broken-lines.ts";
import { openInFrame } from "./draw-pages.ts";
import { showInPlace } from "./show-in-place.ts";

/** Both sides of each width at which the dashboard or the payment page changes, and some between. */
const widths = [320, 360, 480, 639, 641, 768, 899, 901, 959, 961, 1280, 1440, 1920];

/**
 * Finds what is wider than its page, a value of a list that is left out, and text that is cut: without an ellipsis, or
 * without a title or a link that has all of it. What only screen readers read is left out.
 */
const findOverflows = `() => {
    const width = document.documentElement.clientWidth;
    const found = [];
    const describe = (element) => element.tagName.toLowerCase() + "." + element.className + " " + element.textContent.trim().slice(0, 30);
    if (document.documentElement.scrollWidth > width) found.push("the page is " + document.documentElement.scrollWidth);
    const hasText = ({ childNodes }) => [...childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    const isHidden = (element) => element.closest(".visually-hidden, .skip, .meaning, thead, svg, option") !== null;
    for (const element of document.body.querySelectorAll("*")) {
      if (isHidden(element)) continue;
      const isListed = element.closest(".list tbody") && hasText(element);
      if (isListed && element.getClientRects().length === 0) found.push("left out: " + describe(element));
      const { left, right, width: own } = element.getBoundingClientRect();
      if (own === 0) continue;
      const isInCutText = element.parentElement.closest(".text, .clamped, .log bdi, .place, summary bdi") !== null;
      if (!isInCutText && (right > width + 0.5 || left < -0.5)) found.push("beyond the page: " + describe(element));
      const { overflowX, textOverflow, webkitLineClamp, display } = getComputedStyle(element);
      const isCut = element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0 && display !== "inline";
      if (!isCut || ["INPUT", "SELECT"].includes(element.tagName)) continue;
      if (overflowX === "visible") {
        // The element's own text; that of its children is found at them.
        if (hasText(element)) found.push("beyond its box: " + describe(element));
      } else if (textOverflow !== "ellipsis" && webkitLineClamp === "none") found.push("cut: " + describe(element));
      else if (!element.closest("[title], a") && !element.querySelector("[title]")) found.push("all of it is nowhere: " + describe(element));
    }
    return found;
  }`;

/**
 * The faults of a document at each width, and on a phone with text of twice the size, with everything unfolded. The
 * documents that are measured in one window have one style, and the same script.
 */
export async function measureAtWidths(
  page: Page,
  document: string,
  script = "",
): Promise<object[]> {
  const shown = page.frames()[1];
  if (shown) await showInPlace(shown, document, script);
  const frame = shown ?? (await openInFrame(page, document));
  return await frame.evaluate(`(() => {
    const findOverflows = ${findOverflows};
    const findBrokenLines = ${findBrokenLines};
    for (const each of document.querySelectorAll("main details, body > .band details")) each.open = true;
    const found = [];
    const note = (at, faults) => { if (faults.length > 0) found.push({ ...at, faults: faults.slice(0, 5) }); };
    for (const width of ${JSON.stringify(widths)}) {
      frameElement.style.width = width + "px";
      note({ width }, [...findOverflows(), ...findBrokenLines()]);
    }
    document.documentElement.style.fontSize = "200%";
    frameElement.style.width = "360px";
    note({ width: 360, fontSize: "200%" }, findOverflows());
    return found;
  })()`);
}
