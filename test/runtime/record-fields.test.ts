import { describe, expect, test } from "vitest";
import { listFields, pickFields, getField } from "../../src/runtime/record-fields.ts";

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
