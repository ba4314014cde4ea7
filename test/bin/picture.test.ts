import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { drawTerminal, readTexts } from "../../bin/picture/draw-terminal.ts";
import { root } from "../testkit/command/built-commands.ts";
import { runPayments } from "../testkit/command/run-payments.ts";

const read = (path: string) => readFileSync(join(root, path), "utf8");

test("a picture has the terminal's text and colours, and columns that stand below each other", () => {
  const output = "\u001B[2mStatus\u001B[22m   \u001B[32mdone\u001B[39m & <more>\r\nAmount   1\n";
  const svg = drawTerminal(output, 24, "A & B");
  expect(readTexts(svg)).toEqual(["Status   done & <more>", "Amount   1"]);
  expect(svg).toContain("<title>A &amp; B</title>");
  expect(svg).toContain('<tspan class="dim">Status</tspan>');
  const [, green = ""] = /<tspan x="(\d+)" class="green">done<\/tspan>/.exec(svg) ?? [];
  expect(svg).toContain(`<tspan x="${green}">1</tspan>`);
  expect(() => drawTerminal(output, 10, "")).toThrow("Longer than 10 columns");
});

test("the README and its picture show what the first payment prints", async () => {
  const [, line = ""] = /npx payments (create .+)\n```\n/.exec(read("README.md")) ?? [];
  const { stdout } = await runPayments(line.split(" "));
  const printed = maskVaryingParts(stdout);
  expect(printed.split("\n").length).toBeGreaterThan(6);
  expect(maskVaryingParts(read("README.md"))).toContain(`\n\`\`\`\n${printed}\`\`\`\n`);
  const drawn = `${readTexts(read("docs/terminal.svg")).join("\n")}\n`;
  expect(drawn).toContain(`$ payments ${line}\n`);
  expect(maskVaryingParts(drawn)).toContain(`\n${printed}`);
});

/** Masks what differs from run to run: ids, times, and the year in which a test card expires. */
function maskVaryingParts(text: string): string {
  return text
    .replaceAll(/pay_[\w-]+/g, "pay_…")
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, "…")
    .replaceAll(/12\/20\d\d/g, "12/20…");
}
