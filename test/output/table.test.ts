import { Chalk } from "chalk";
import { describe, expect, test } from "vitest";
import { details, table } from "../../src/output/table.ts";

const plain = new Chalk({ level: 0 });

describe("a table", () => {
  test("has columns as wide as their widest cell, numbers to the right", () => {
    const rows = [
      ["a", "1"],
      ["bbb", "1000000"],
    ];
    expect(table(["NAME", "SUM"], rows, plain, ["SUM"])).toBe(
      ["NAME      SUM", "a           1", "bbb   1000000"].join("\n"),
    );
  });

  test("counts what a cell takes on the screen, not its bytes", () => {
    const rows = [
      ["東京", "x"],
      ["é", "y"],
    ];
    expect(table(["CITY", "Z"], rows, plain)).toBe(["CITY  Z", "東京  x", "é     y"].join("\n"));
  });

  test("has no spaces at the end of a line, and no colour unless it is wanted", () => {
    expect(table(["A", "B"], [["long one", ""]], plain)).toBe("A         B\nlong one");
    expect(table(["A"], [["1"]], new Chalk({ level: 1 }))).toContain("\u001B[1mA");
  });
});

test("names and values stand below each other", () => {
  const pairs: [string, string][] = [
    ["ID", "1"],
    ["Amount", "2"],
  ];
  expect(details(pairs, plain)).toBe("ID      1\nAmount  2");
});
