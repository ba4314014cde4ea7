import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatDefinitions, formatParagraphs } from "../../../src/cli/help/show-help.ts";

const plain = (text: string) => text;

const bold = (name: string) => `\u001B[1m${name}\u001B[22m`;

describe("two columns", () => {
  test("stand side by side, the right one wrapped below itself", () => {
    const rows = [
      ["--all", "Every payment."],
      ["--status", "Only payments of this status."],
    ] as const;
    expect(formatDefinitions(rows, 30, plain)).toBe(
      [
        "  --all     Every payment.",
        "  --status  Only payments of",
        "            this status.",
      ].join("\n"),
    );
  });

  test("give a wide name a line of its own", () => {
    const wide = "--a-flag-with-a-name-that-goes-on-and-on";
    expect(
      formatDefinitions(
        [
          ["--b", "Short."],
          [wide, "Long."],
        ],
        80,
        plain,
      ),
    ).toBe(["  --b  Short.", `  ${wide}`, "       Long."].join("\n"));
  });

  test("have the same width with emphasized names", () => {
    const rows = [
      ["a", "One."],
      ["bb", "Two."],
    ] as const;
    expect(formatDefinitions(rows, 80, bold)).toBe(`  ${bold("a")}   One.\n  ${bold("bb")}  Two.`);
  });
});

describe("a paragraph", () => {
  test("is broken between words", () => {
    expect(formatParagraphs("The service is asked first.\n\nThen it is stored.", 15)).toEqual([
      "The service is",
      "asked first.",
      "",
      "Then it is",
      "stored.",
    ]);
  });

  test("does not break a line to copy", () => {
    expect(formatParagraphs("In bash:\n  source <(payments completion bash)", 12)).toEqual([
      "In bash:",
      "  source <(payments completion bash)",
    ]);
  });

  test("loses no word, and only a line of one word may be too wide", () => {
    const text = fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1 });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 60 }), (words, width) => {
        const lines = formatParagraphs(words.join(" "), width);
        expect(lines.join(" ")).toBe(words.join(" "));
        for (const line of lines) {
          expect(line.length <= width || !line.includes(" ")).toBe(true);
        }
      }),
    );
  });
});
