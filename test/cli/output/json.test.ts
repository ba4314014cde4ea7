import { describe, expect, test } from "vitest";
import { toSafeJson } from "../../../src/cli/output/safe-text.ts";

describe("an API object as JSON", () => {
  const value = { id: "pay_1", metadata: { "order id": "1001" }, amount: 4999, card: null };

  test("is one line where a program reads it, with nothing left out", () => {
    const line = toSafeJson(value, { indented: false });
    expect(line).toBe('{"id":"pay_1","metadata":{"order id":"1001"},"amount":4999,"card":null}');
  });

  test("is indented where a person reads it", () => {
    const text = toSafeJson(value, { indented: true });
    expect(text.split("\n")).toHaveLength(8);
    expect(JSON.parse(text)).toEqual(value);
  });

  test("holds no control character, and comes back as it was", () => {
    const controls = Array.from({ length: 0xa0 }, (_, code) => String.fromCodePoint(code)).join("");
    const turning = "\u061C\u200E\u200F\u202A\u202E\u2066\u2069";
    const hostile = { description: `${controls}\u2028\u2029\uFEFF${turning}é€😀שלום\u200D` };
    const line = toSafeJson(hostile, { indented: false });
    expect(line).not.toMatch(/[\p{Cc}\u2028-\u202E\uFEFF\u061C\u200E\u200F\u2066-\u2069]/u);
    expect(line).toContain("é€😀שלום\u200D");
    expect(line).toContain(String.raw`\u009b`);
    expect(JSON.parse(line)).toEqual(hostile);
  });
});
