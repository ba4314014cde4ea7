import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { escapeControls, isStorable, isWithin, toSafeJson } from "../../src/runtime/text.ts";

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

const mark = "\uFFFD";

describe("text for a terminal", () => {
  test.each([
    ["an escape sequence", "\u001B[31mred", `${mark}[31mred`],
    ["a C1 control character", "\u009B31mred", `${mark}31mred`],
    ["a bell and a backspace", "a\u0007b\u0008c", `a${mark}b${mark}c`],
    ["line breaks and tabs", "a\r\nb\tc", `a${mark}${mark}b${mark}c`],
    ["NUL and DEL", "a\0b\u007Fc", `a${mark}b${mark}c`],
    ["line and paragraph separators", "a\u2028b\u2029c", `a${mark}b${mark}c`],
    ["a turn of the writing direction", "abc\u202Etxt.exe", `abc${mark}txt.exe`],
    ["isolates and direction marks", "\u2066a\u2069\u200E\u200F", `${mark}a${mark}${mark}${mark}`],
    ["a byte order mark", "\uFEFFa", `${mark}a`],
  ])("has marks in place of %s", (_, text, safe) => {
    expect(escapeControls(text)).toBe(safe);
  });

  test.each(["Ada Lovelace", "Zoë – 東京 😀", "שלום", "👩\u200D💻"])("leaves %j alone", (text) => {
    expect(escapeControls(text)).toBe(text);
  });
});

describe("an API object as JSON", () => {
  test("has a mark for a lone surrogate, which strict readers refuse", () => {
    expect(toSafeJson({ "\uDC00": "a\uD800" }, { indented: false })).toBe(`{"${mark}":"a${mark}"}`);
  });

  const value = { id: "pay_1", metadata: { "order id": "1001" }, amount: 4999, card: null };

  test("is one complete line for a program", () => {
    const line = toSafeJson(value, { indented: false });
    expect(line).toBe('{"id":"pay_1","metadata":{"order id":"1001"},"amount":4999,"card":null}');
  });

  test("is indented for a person", () => {
    const text = toSafeJson(value, { indented: true });
    expect(text.split("\n")).toHaveLength(8);
    expect(JSON.parse(text)).toEqual(value);
  });

  test("has no control character, and parses to the same object", () => {
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
