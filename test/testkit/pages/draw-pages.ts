import { mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Frame, Page } from "playwright-core";
import { assets } from "../../../src/service/web/dashboard/frame.ts";
import { startBrowser } from "../runner/browser-for-all.ts";
import { nowMs } from "./example-shop.ts";

export type Picture = {
  /** Without its ending. */
  file: string;
  document: string;
  width: number;
  colorScheme: "light" | "dark";
  scale?: number;
  /** Acts in the page before it is drawn. */
  prepare?: ((page: Page) => Promise<void>) | undefined;
};

/** Safe, as a dashboard is: a browser lets no other page copy. */
const origin = "https://pages.test";

/** Opens a document without a server: at any address of its site, with the dashboard's style and script. */
export async function openDocument(page: Page, document: string, address = origin): Promise<void> {
  await page.unrouteAll();
  await page.route(`${origin}/**`, async (route) => {
    const path = new URL(route.request().url()).pathname;
    const asset = assets.find(({ name }) => path.endsWith(`/assets/${name}`));
    const frame = path === framePath ? frameDocument : undefined;
    const { type, content } = asset ?? {
      type: "text/html; charset=utf-8",
      content: frame ?? document,
    };
    await route.fulfill({ contentType: type, body: content });
  });
  await page.goto(address);
}

const framePath = "/frame";
const frameDocument = `<!doctype html><title>Frame</title>
<iframe src="${origin}/dashboard" style="border: 0; height: 740px"></iframe>`;

/** Opens a document in a frame, whose width changes sooner than the window's. */
export async function openInFrame(page: Page, document: string): Promise<Frame> {
  await openDocument(page, document, `${origin}${framePath}`);
  return page.frames().at(-1)!;
}

/** Draws pages into a folder, one window after the other, at the time of their data. */
export async function drawPages(folder: string, pictures: readonly Picture[]): Promise<void> {
  const browser = await startBrowser();
  for (const { file, document, width, colorScheme, scale = 1, prepare } of pictures) {
    const viewport = { width, height: width < 600 ? 740 : 900 };
    const look = { viewport, colorScheme, deviceScaleFactor: scale, timezoneId: "UTC" };
    const page = await browser.newPage({ ...look, reducedMotion: "reduce" });
    await page.clock.setFixedTime(nowMs);
    await openDocument(page, document);
    await prepare?.(page);
    const path = `${folder}/${file}.png`;
    await mkdir(dirname(path), { recursive: true });
    await page.screenshot({ path, fullPage: true, caret: "hide" });
    await page.close();
  }
  await browser.close();
}

/**
 * Shows a document in place of the one in the window, whose style it has too, and runs a script, such as the site's,
 * on it. The window stays, with what a test has added to it: to load axe into a new one takes longer than to run it.
 */
export async function showInPlace(
  window: Frame | Page,
  document: string,
  script = "",
): Promise<void> {
  await window.evaluate(`((text) => {
    const shown = new DOMParser().parseFromString(text, "text/html");
    document.documentElement.removeAttribute("style");
    document.documentElement.lang = shown.documentElement.lang;
    document.title = shown.title;
    document.body.replaceWith(document.adoptNode(shown.body));
    ${script}
  })(${JSON.stringify(document)})`);
}

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

/** Texts that must not break: an amount, a percentage, an id, a time, a day. */
const wholes = [
  String.raw`(?:about\s)?\d[\d,.\u00a0\u202f]*[.,]\d\d\s(?:[A-Z]{3}|€|£|\$(?:US)?)`,
  String.raw`[€£$]\d[\d,.]*(?: USD)?`,
  String.raw`\d+\.\d%`,
  String.raw`(?:pay|evt|del|key|op|act|acct|we)_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`,
  String.raw`\d{1,2} [A-Z][a-z]{2,8} \d{4}(?:(?:,| at) \d\d:\d\d(?: [A-Z]\S+)?)?`,
  String.raw`\d{4}-\d\d-\d\d`,
];

/**
 * Finds such texts on a page that stand on more than one line, or overflow the box around them. A command wraps as in a
 * terminal.
 */
export async function brokenLines(page: Page): Promise<string[]> {
  return await page.evaluate(`(${findBrokenLines})()`);
}

/** The function as a script, for tests that call it in the page. */
const findBrokenLines = `() => {
    const wholes = new RegExp(${JSON.stringify(wholes.join("|"))}, "g");
    const texts = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode())
      if (!node.parentElement.closest("style, script, .visually-hidden, .command")) texts.push(node);

    // An amount may be split over several elements, so the page is searched as one text.
    const page = texts.map(({ data }) => data).join("");
    const starts = texts.map(() => 0);
    for (let at = 1; at < texts.length; at++) starts[at] = starts[at - 1] + texts[at - 1].length;
    const locate = (index) => {
      const at = starts.findLastIndex((start) => start <= index);
      return [texts[at], index - starts[at]];
    };

    const found = [];
    for (const { 0: text, index } of page.matchAll(wholes)) {
      const range = document.createRange();
      range.setStart(...locate(index));
      const [last, offset] = locate(index + text.length - 1);
      range.setEnd(last, offset + 1);
      const parts = [...range.getClientRects()].filter(({ width }) => width > 0);
      if (parts.length === 0) continue;
      const lowestTop = Math.max(...parts.map(({ top }) => top));
      const highestBottom = Math.min(...parts.map(({ bottom }) => bottom));
      if (lowestTop >= highestBottom) found.push(text + " is broken");
      const around = last.parentElement;
      const box = around.closest(".sheet, .summary, main");
      const right = Math.max(...parts.map((part) => part.right));
      if (box && right > box.getBoundingClientRect().right) found.push(text + " overflows");
    }
    return found;
  }`;

const axe = await readFile(
  new URL("../../../node_modules/axe-core/axe.min.js", import.meta.url),
  "utf8",
);

/** Finds the accessibility rules that a page breaks, and where. */
export async function barriers(page: Page): Promise<unknown> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe);
  return await page.evaluate(`
    axe.run({ resultTypes: ["violations"], rules: { "target-size": { enabled: true } } }).then(({ violations }) =>
      violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html, failureSummary }) => [html, failureSummary]) })))
  `);
}
