import { describe, expect, test } from "vitest";
import { toCsvHeader, toCsvLine } from "../../src/runtime/csv.ts";

const formatCell = (value: unknown) => toCsvLine({ value }, ["value"]);

describe("a cell of CSV", () => {
  test.each([
    ["a text", "a text"],
    ["a, b", '"a, b"'],
    ['say "so"', '"say ""so"""'],
    ["two\nlines", '"two\nlines"'],
    ["one; two", '"one; two"'],
    ["one\ttwo", '"one\ttwo"'],
    ["from 5 - 10 = a+b@example.com", "from 5 - 10 = a+b@example.com"],
    [4999, "4999"],
    [true, "true"],
    [null, ""],
    [undefined, ""],
    [{ order: "1001" }, '"{""order"":""1001""}"'],
  ])("holds %j as %j", (value, expected) => {
    expect(formatCell(value)).toBe(expected);
  });

  test.each(["=1+1", "+1", "-1", "@SUM(A1)", " =1", "\n=1", "＝1", "＋1", "－1", "＠1"])(
    "is no formula: %j",
    (text) => {
      expect(formatCell(text).replace(/^"/, "")).toMatch(/^'/);
    },
  );

  test.each([
    ["Thanks;=HYPERLINK(A1)", '"Thanks;\'=HYPERLINK(A1)"'],
    ["a,=1", '"a,\'=1"'],
    ["a\t+1", '"a\t\'+1"'],
    ["a\n@x", '"a\n\'@x"'],
    ["a; \u00a0-1", '"a;\' \u00a0-1"'],
    ["a;;\uff1d1", '"a;;\'\uff1d1"'],
    ['a;"=1', '"a;\'""=1"'],
    ["=1;=2", "\"'=1;'=2\""],
  ])("is no formula where a spreadsheet splits it at a separator inside: %j", (text, expected) => {
    expect(formatCell(text)).toBe(expected);
  });

  test.each([
    { note: "a;=1" },
    { note: "=1", other: " +2;\t@3" },
    ["payment.failed", "=1"],
    [{ note: 'a;"=1' }],
  ])("of JSON has no formula behind a separator, and stays the same JSON: %j", (value) => {
    const cell = formatCell(value);
    expect(cell.split(/[,;\t]/).filter((part) => /^[\s"]*[=+\-@]/.test(part))).toEqual([]);
    expect(JSON.parse(cell.slice(1, -1).replaceAll('""', '"'))).toEqual(value);
  });

  test("shows characters that change the direction of writing as a table does", () => {
    const turning = "\u061c\u200e\u200f\u202a\u202e\u2066\u2069";
    expect(formatCell(`abc${turning}txt.exe`)).toBe(`abc${"\ufffd".repeat(7)}txt.exe`);
    expect(toCsvHeader([`metadata.a${turning}`])).toBe(`metadata.a${"\ufffd".repeat(7)}`);
  });

  test("has no control characters except line breaks and tabs", () => {
    const all = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)).join("");
    expect(formatCell(all).replaceAll(/[\n\t]/g, "")).not.toMatch(/\p{Cc}/u);
    expect(formatCell({ [all]: all })).not.toMatch(/\p{Cc}/u);
    expect(formatCell("東京 🫠 é")).toBe("東京 🫠 é");
  });
});

test("a line has the requested columns, in their order", () => {
  const columns = ["id", "card.last4", "metadata.a,b"];
  const record = { id: "pay_1", card: { last4: "0042" }, metadata: { "a,b": "x" } };
  expect(toCsvHeader(columns)).toBe('id,card.last4,"metadata.a,b"');
  expect(toCsvLine(record, columns)).toBe("pay_1,0042,x");
});
