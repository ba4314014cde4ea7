import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";

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
