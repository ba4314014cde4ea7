import { describe, expect, test } from "vitest";
import { csvHeader, csvLine } from "../../../src/cli/output/csv.ts";

const cellOf = (value: unknown) => csvLine({ value }, ["value"]);

describe("a cell of CSV", () => {
  test.each([
    ["a text", "a text"],
    ["a, b", '"a, b"'],
    ['say "so"', '"say ""so"""'],
    ["two\nlines", '"two\nlines"'],
    [4999, "4999"],
    [true, "true"],
    [null, ""],
    [undefined, ""],
    [{ order: "1001" }, '"{""order"":""1001""}"'],
  ])("holds %j as %j", (value, expected) => {
    expect(cellOf(value)).toBe(expected);
  });

  test.each(["=1+1", "+1", "-1", "@SUM(A1)", " =1", "\n=1", "＝1", "＋1", "－1", "＠1"])(
    "is no formula: %j",
    (text) => {
      expect(cellOf(text).replace(/^"/, "")).toMatch(/^'/);
    },
  );

  test("has no control characters but line breaks", () => {
    const all = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)).join("");
    expect(cellOf(all).replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
    expect(cellOf({ [all]: all })).not.toMatch(/\p{Cc}/u);
    expect(cellOf("東京 🫠 é")).toBe("東京 🫠 é");
  });
});

test("a line has the columns asked for, in their order", () => {
  const columns = ["id", "card.last4", "metadata.a,b"];
  const record = { id: "pay_1", card: { last4: "0042" }, metadata: { "a,b": "x" } };
  expect(csvHeader(columns)).toBe('id,card.last4,"metadata.a,b"');
  expect(csvLine(record, columns)).toBe("pay_1,0042,x");
});
