import { describe, expect, test } from "vitest";
import {
  getField,
  listFields,
  pickFields,
  toCsvHeader,
  toCsvLine,
} from "../../src/runtime/records.ts";

const record = {
  id: "pay_1",
  amount: 4999,
  card: { brand: "visa", last4: "4242" },
  description: null,
  metadata: { order: "1001", "a.b": "x" },
  later: { added: true },
};

describe("the fields picked from a record", () => {
  test.each([
    { fields: ["amount", "id"], expected: { amount: 4999, id: "pay_1" } },
    { fields: ["card.last4"], expected: { card: { last4: "4242" } } },
    { fields: ["card.last4", "card.brand"], expected: { card: { last4: "4242", brand: "visa" } } },
    { fields: ["card", "card.last4"], expected: { card: record.card } },
    { fields: ["card.last4", "card"], expected: { card: record.card } },
    { fields: ["description"], expected: { description: null } },
    { fields: ["metadata.a.b"], expected: { metadata: { "a.b": "x" } } },
    { fields: ["metadata.none"], expected: { metadata: {} } },
    { fields: ["metadata.toString"], expected: { metadata: {} } },
    { fields: ["later"], expected: { later: { added: true } } },
  ])("$fields", ({ fields, expected }) => {
    expect(JSON.stringify(pickFields(record, fields))).toBe(JSON.stringify(expected));
  });

  test("of a missing card leave it null", () => {
    expect(pickFields({ card: null }, ["card.last4"])).toEqual({ card: null });
  });

  test("may be named like properties of every object", () => {
    const hostile = JSON.parse('{"metadata":{"__proto__":"own","constructor":"too"}}') as object;
    expect(
      JSON.stringify(pickFields(hostile, ["metadata.__proto__", "metadata.constructor"])),
    ).toBe('{"metadata":{"__proto__":"own","constructor":"too"}}');
    expect(getField({ metadata: {} }, "metadata.constructor")).toBeUndefined();
  });
});

test("the fields of a record are listed, those inside its objects one by one", () => {
  expect(
    listFields({ mode: "test", key: { source: "file", last4: "abcd" }, accepted: null }),
  ).toEqual(["mode", "key.source", "key.last4", "accepted"]);
});

describe("fields deep inside a record", () => {
  const event = { id: "evt_1", data: { object: record } };

  test.each([
    ["data.object.card.last4", { data: { object: { card: { last4: "4242" } } } }, "4242"],
    ["data.object.metadata.a.b", { data: { object: { metadata: { "a.b": "x" } } } }, "x"],
    ["data.object.metadata.order.a", { data: { object: { metadata: {} } } }, undefined],
    ["data.object.description", { data: { object: { description: null } } }, null],
  ])("%s is picked, with its value", (field, expected, value) => {
    expect(JSON.stringify(pickFields(event, [field]))).toBe(JSON.stringify(expected));
    expect(getField(event, field)).toBe(value);
  });

  test("are grouped by object, and a whole object includes all its fields", () => {
    const both = ["data.object.id", "id", "data.object.amount"];
    const expected = { data: { object: { id: "pay_1", amount: 4999 } }, id: "evt_1" };
    expect(JSON.stringify(pickFields(event, both))).toBe(JSON.stringify(expected));
    expect(pickFields(event, ["data.object.id", "data.object"])).toEqual({
      data: { object: record },
    });
  });
});

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
  const paid = { id: "pay_1", card: { last4: "0042" }, metadata: { "a,b": "x" } };
  expect(toCsvHeader(columns)).toBe('id,card.last4,"metadata.a,b"');
  expect(toCsvLine(paid, columns)).toBe("pay_1,0042,x");
});
