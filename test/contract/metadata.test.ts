import { describe, expect, test } from "vitest";
import { createPaymentBody } from "../../src/contract/payment.ts";
import { bodyWith, faultsOf } from "../testkit/create-payment-body.ts";

const faultsOfMetadata = (metadata: unknown) => faultsOf(bodyWith({ metadata }));
const pairs = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, "value"]));

describe("metadata", () => {
  test.each([
    ["nothing", {}],
    ["50 keys", pairs(50)],
    ["a key of 1 character", { a: "" }],
    ["a key of 40 emoji", { ["😀".repeat(40)]: "" }],
    ["a value of 500 emoji", { a: "😀".repeat(500) }],
    ["keys of objects", { constructor: "c", toString: "t" }],
  ])("may hold %s", (_, metadata) => {
    expect(faultsOfMetadata(metadata)).toEqual([]);
  });

  test.each([
    ["51 keys", pairs(51)],
    ["an empty key", { "": "value" }],
    ["a key of 41 characters", { ["k".repeat(41)]: "" }],
    ["a key of 41 emoji", { ["😀".repeat(41)]: "" }],
    ["a key with NUL", { "a\0": "" }],
    ["a key with a lone surrogate", { "a\ud800": "" }],
  ])("may not hold %s", (_, metadata) => {
    expect(faultsOfMetadata(metadata)).toEqual(["metadata"]);
  });

  test.each([
    ["501 characters", "v".repeat(501)],
    ["501 emoji", "😀".repeat(501)],
    ["NUL", "\0"],
    ["a lone surrogate", "\udc00"],
    ["a number", 7],
    ["null", null],
    ["an object", {}],
  ])("names the key whose value is %s", (_, value) => {
    expect(faultsOfMetadata({ good: "", bad: value })).toEqual(["metadata.bad"]);
  });

  test.each([[], ["a"], "a", 7, true])("may not be %o", (metadata) => {
    expect(faultsOfMetadata(metadata)).toEqual(["metadata"]);
  });

  test("keeps a key called __proto__", () => {
    const sent = '{"__proto__":"kept","constructor":"too"}';
    const { metadata } = createPaymentBody.parse(bodyWith({ metadata: JSON.parse(sent) }));
    expect(JSON.stringify(metadata)).toBe(sent);
  });

  test("checks the value of a key called __proto__", () => {
    expect(faultsOfMetadata(JSON.parse('{"__proto__":{"a":"b"}}'))).toEqual(["metadata.__proto__"]);
  });
});
