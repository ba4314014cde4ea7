import type { Page } from "playwright-core";

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
export const findBrokenLines = `() => {
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
