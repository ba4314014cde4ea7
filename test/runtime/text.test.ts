import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isStorable, isWithin } from "../../src/runtime/text.ts";

test("the length of a text counts code points", () => {
  // fast-check takes seconds to make its own unit of any code point.
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

test("a text with NUL or a lone surrogate cannot be stored", () => {
  const texts = [
    "\0",
    "a\0b",
    "\ud800",
    "a\udc00",
    "\udc00\ud800",
    "\u0001\t\ufeff",
    "é e\u0301",
    "👩‍👩‍👧",
  ];
  expect(texts.map(isStorable)).toEqual([false, false, false, false, false, true, true, true]);
});
