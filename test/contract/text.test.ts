import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isStorable, isWithin } from "../../src/runtime/text.ts";
import { text } from "../../src/contract/field-schemas.ts";
import { bodyWith, faultsOf } from "../testkit/create-payment-body.ts";

describe("the length of a text", () => {
  test("counts code points", () => {
    // Any code point: the library's own unit of that kind takes seconds to be made.
    const character = fc.nat({ max: 0x10ffff }).map((point) => String.fromCodePoint(point));
    const anyText = fc.array(character, { maxLength: 30 }).map((all) => all.join(""));
    const number = fc.nat({ max: 10 });
    fc.assert(
      fc.property(anyText, number, number, (value, min, more) => {
        const max = min + more;
        const length = Array.from(value).length;
        expect(isWithin(value, min, max)).toBe(length >= min && length <= max);
      }),
    );
  });

  test.each([
    ["500 letters", "a".repeat(500), []],
    ["501 letters", "a".repeat(501), ["description"]],
    ["500 emoji", "😀".repeat(500), []],
    ["501 emoji", "😀".repeat(501), ["description"]],
    ["no character", "", []],
  ])("of a description: %s", (_, description, faults) => {
    expect(faultsOf(bodyWith({ description }))).toEqual(faults);
  });

  test("has a least where one is given", () => {
    const twoOrThree = text({ min: 2, max: 3 });
    const accepted = ["", "😀", "😀😀", "abc", "😀😀😀😀"].filter(
      (value) => twoOrThree.safeParse(value).success,
    );
    expect(accepted).toEqual(["😀😀", "abc"]);
  });
});

describe("a text that cannot be kept in every store", () => {
  test.each(["\0", "a\0b", "\ud800", "a\udc00", "\udc00\ud800"])("%j is refused", (description) => {
    expect(isStorable(description)).toBe(false);
    expect(faultsOf(bodyWith({ description }))).toEqual(["description"]);
    expect(faultsOf(bodyWith({ customer: { city: description } }))).toEqual(["customer.city"]);
  });

  test.each(["\u0001\u001f\t\r\n", "\ufeff\uffff\u202e", "é e\u0301", "👩‍👩‍👧"])(
    "%j is not one",
    (description) => {
      expect(isStorable(description)).toBe(true);
      expect(faultsOf(bodyWith({ description }))).toEqual([]);
    },
  );
});

test.each([7, true, {}, ["text"]])("%o is no text", (description) => {
  expect(faultsOf(bodyWith({ description }))).toEqual(["description"]);
});
