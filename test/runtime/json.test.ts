import { expect, test } from "vitest";
import { parseJsonExactly } from "../../src/runtime/json.ts";

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
