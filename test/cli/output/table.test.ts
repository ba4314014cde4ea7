import { Chalk } from "chalk";
import stringWidth from "fast-string-width";
import { describe, expect, test } from "vitest";
import { minWrappedWidth } from "../../../src/cli/output/resource.ts";
import { drawTable, formatDetails, formatTable } from "../../../src/cli/output/table.ts";

const plain = new Chalk({ level: 0 });

/** Columns of which the first stays whole, and the others are wrapped. */
function createColumns(...[first = "", ...others]: string[]) {
  return [{ title: first }, ...others.map((title) => ({ title, minWidth: minWrappedWidth }))];
}

describe("a table", () => {
  test("has columns as wide as their widest cell, numbers to the right", () => {
    const rows = [
      ["a", "1"],
      ["bbb", "1000000"],
    ];
    expect(
      formatTable([{ title: "NAME" }, { title: "SUM", isRight: true }], rows, { style: plain }),
    ).toBe(["NAME      SUM", "a           1", "bbb   1000000"].join("\n"));
  });

  test("counts a cell's columns on the screen, not its bytes", () => {
    const rows = [
      ["東京", "x"],
      ["é", "y"],
    ];
    expect(formatTable(createColumns("CITY", "Z"), rows, { style: plain })).toBe(
      ["CITY  Z", "東京  x", "é     y"].join("\n"),
    );
  });

  test("may have more rows than a function can have arguments", () => {
    const rows = Array.from({ length: 130_000 }, (_, at) => [String(at)]);
    const table = drawTable(createColumns("N", "M"), rows, { style: plain });
    expect(table.next().value).toBe("N       M"); // its width is known once all rows have been read
  });

  test("has no spaces at the end of a line, and no colour unless the style has colours", () => {
    expect(formatTable(createColumns("A", "B"), [["long one", ""]], { style: plain })).toBe(
      "A         B\nlong one",
    );
    expect(formatTable(createColumns("A"), [["1"]], { style: new Chalk({ level: 1 }) })).toContain(
      "\u001B[1mA",
    );
  });
});

describe("in a narrow terminal", () => {
  const head = ["ID", "SUM", "TEXT", "WHEN"];
  const row = ["pay_12345678", "49.99 EUR", "one two three four five six seven eight", "today"];

  test("a table that fits stays on one line", () => {
    const text = formatTable(createColumns(...head), [row], { style: plain, width: 74 });
    expect(text.split("\n")).toHaveLength(2);
    expect(text).toBe(formatTable(createColumns(...head), [row], { style: plain }));
  });

  test("a long text is wrapped to fit", () => {
    expect(formatTable(createColumns(...head), [row], { style: plain, width: 60 })).toBe(
      [
        "ID            SUM        TEXT                          WHEN",
        "pay_12345678  49.99 EUR  one two three four five six   today",
        "                         seven eight",
      ].join("\n"),
    );
  });

  test("the last columns go to a line of their own before a text gets too narrow", () => {
    expect(formatTable(createColumns(...head), [row], { style: plain, width: 40 })).toBe(
      [
        "ID            SUM",
        "  TEXT                             WHEN",
        "pay_12345678  49.99 EUR",
        "  one two three four five six      today",
        "  seven eight",
      ].join("\n"),
    );
  });

  test("an id stays whole, and nothing is lost, in a terminal of any width", () => {
    const all = sortLetters([...head, ...row].join(""));
    for (let width = 1; width <= 80; width++) {
      const text = formatTable(createColumns(...head), [row], { style: plain, width });
      expect(text).toContain("pay_12345678");
      expect(sortLetters(text)).toBe(all);
      const maxLength = Math.max(...text.split("\n").map((line) => line.length));
      expect(maxLength).toBeLessThanOrEqual(Math.max(width, 26)); // the least that a text gets
    }
  });

  test("wide characters and emoji count as their columns on the screen", () => {
    const text = formatTable(createColumns("A", "B"), [["x", "東京🫠".repeat(20)]], {
      style: plain,
      width: 33,
    });
    for (const line of text.split("\n")) expect(stringWidth(line)).toBeLessThanOrEqual(33);
    expect(text.match(/🫠/gu)).toHaveLength(20);
  });
});

test("names and values are aligned below each other", () => {
  const pairs: [string, string][] = [
    ["ID", "1"],
    ["Amount", "2"],
  ];
  expect(formatDetails(pairs, plain)).toBe("ID      1\nAmount  2");
});

/** The letters of a text, without its layout. */
function sortLetters(text: string): string {
  return [...text.replaceAll(/\s/g, "")].toSorted().join("");
}
