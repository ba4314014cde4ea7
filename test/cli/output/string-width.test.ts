import * as fc from "fast-check";
import stringWidth from "string-width";
import stringWidthOfAll from "string-width-esm";
import { expect, test } from "vitest";

test("the width of Latin text equals that of the package for all characters", () => {
  const characters = Array.from({ length: 0x2100 - 0x20 }, (_, at) =>
    String.fromCharCode(0x20 + at),
  );
  for (const character of characters) {
    expect(stringWidth(character)).toBe(stringWidthOfAll(character));
  }
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...characters) }), (text) => {
      expect(stringWidth(text)).toBe(stringWidthOfAll(text));
    }),
  );
});
