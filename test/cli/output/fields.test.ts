import { describe, expect, test } from "vitest";
import { fieldsOf, picked, valueOf } from "../../../src/cli/output/fields.ts";

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
    expect(JSON.stringify(picked(record, fields))).toBe(JSON.stringify(expected));
  });

  test("of a card that is not there leave it null", () => {
    expect(picked({ card: null }, ["card.last4"])).toEqual({ card: null });
  });

  test("may be named like what every object has", () => {
    const hostile = JSON.parse('{"metadata":{"__proto__":"own","constructor":"too"}}') as object;
    expect(JSON.stringify(picked(hostile, ["metadata.__proto__", "metadata.constructor"]))).toBe(
      '{"metadata":{"__proto__":"own","constructor":"too"}}',
    );
    expect(valueOf({ metadata: {} }, "metadata.constructor")).toBeUndefined();
  });
});

test("the fields of a record are named, those inside its objects one by one", () => {
  expect(
    fieldsOf({ mode: "test", key: { source: "file", last4: "abcd" }, accepted: null }),
  ).toEqual(["mode", "key.source", "key.last4", "accepted"]);
});
