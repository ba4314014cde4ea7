import { describe, expect, test } from "vitest";
import { escapeControls } from "../../../src/cli/output/safe-text.ts";

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
