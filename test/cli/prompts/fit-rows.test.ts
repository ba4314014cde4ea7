import stringWidth from "fast-string-width";
import { describe, expect, test } from "vitest";
import { fitRows } from "../../../src/cli/prompts/inquirer-prompter.ts";

describe("rows of cells", () => {
  test("are aligned, each column as wide as its widest cell", () => {
    expect(
      fitRows(
        [
          ["a", "bbb", "c"],
          ["aaa", "b", "ccc"],
        ],
        80,
      ),
    ).toEqual(["a    bbb  c", "aaa  b    ccc"]);
  });

  test("may have different lengths, and leave out empty columns", () => {
    expect(fitRows([["a"], ["b", "", "c"]], 80)).toEqual(["a", "b  c"]);
    expect(fitRows([], 80)).toEqual([]);
  });

  test("shorten the last column first", () => {
    const row = ["49.99 EUR", "ada@example.com", "a description that is long"];
    expect(fitRows([row], 80)).toEqual([row.join("  ")]);
    expect(fitRows([row], 40)).toEqual(["49.99 EUR  ada@example.com  a descripti…"]);
    expect(fitRows([row], 36)).toEqual(["49.99 EUR  ada@example.…  a descrip…"]);
  });

  test.each([20, 60])("are never wider than %d columns", (width) => {
    const rows = [
      ["1.00 EUR", "x".repeat(90), "日本語の説明がここに長く書かれています"],
      ["100000.00 EUR", "👩‍👩‍👧‍👦".repeat(30), "e\u0301".repeat(50)],
    ];
    for (const row of fitRows(rows, width)) expect(stringWidth(row)).toBeLessThanOrEqual(width);
  });

  const chosen = ["49.99 EUR", "ada@example.com", "visa 4242", "2026-11-21 13:59", "Two books"];
  test.each([
    [37, "49.99 EUR  ada@example.com  visa 4242"],
    [36, "49.99 EUR  ada@example.c…  visa 4242"],
    [20, "49.99 EUR  ada@exam…"],
    [5, "49.99 EUR"],
  ])("keep the first cell whole at %d columns, and lose the last ones", (width, row) => {
    expect(fitRows([chosen], width)).toEqual([row]);
  });

  test("are cut between the characters that people see", () => {
    const [row] = fitRows([["1", "👩‍👩‍👧‍👦".repeat(10)]], 15);
    expect(row).toBe(`1  ${"👩‍👩‍👧‍👦".repeat(5)}…`);
  });
});
