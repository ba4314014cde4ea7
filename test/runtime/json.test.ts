import { describe, expect, test } from "vitest";
import { parseJsonExactly, writeJson } from "../../src/runtime/text.ts";

test.each(["", " ", "\t", "\n", "\r"])(
  "a number that would be rounded is none, after %j",
  (space) => {
    for (const literal of ["9007199254740991.4", "-9007199254740991.4", "90071992547409914e-1"]) {
      const number = `${space}${literal}`;
      expect(parseJsonExactly(number)).toBeNaN();
      expect(parseJsonExactly(`[${number}]`)).toEqual([Number.NaN]);
      expect(parseJsonExactly(`["",${number}]`)).toEqual(["", Number.NaN]);
      expect(parseJsonExactly(`{"a":${number}}`)).toEqual({ a: Number.NaN });
    }
  },
);

test("an integer may be written in any form, and other numbers and texts stay as they are", () => {
  const json = '[100.0, 1e2, 10000E-2, 1.5, -0.25, "9007199254740991.4", "ada@a1.example"]';
  const values = [100, 100, 100, 1.5, -0.25, "9007199254740991.4", "ada@a1.example"];
  expect(parseJsonExactly(json)).toEqual(values);
});

describe("JSON for others to read", () => {
  const mark = "\uFFFD";

  test.each([
    ["alone", "\uD800", mark],
    ["the wrong way round", "\uDE00\uD83D", mark + mark],
    ["cut from its pair", "a😀".slice(0, 2), `a${mark}`],
    ["behind a backslash", "\\\uDC00", `\\${mark}`],
    ["behind a pair", "😀\uDFFF", `😀${mark}`],
  ])("has U+FFFD for a surrogate %s, in names and values", (_, text, readable) => {
    const json = writeJson({ [text]: [text] });
    expect(json).not.toMatch(/(?<!\\)\\ud/);
    expect(JSON.parse(json)).toEqual({ [readable]: [readable] });
  });

  test.each(["\\ud800", "\\\\ud800", '😀\n\u0001"\uD7FF\uE000', "\uFFFD"])("keeps %j", (text) => {
    expect(writeJson({ [text]: text })).toBe(JSON.stringify({ [text]: text }));
  });
});
