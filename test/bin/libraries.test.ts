import { createRequire } from "node:module";
import { expect, test } from "vitest";

const require = createRequire(import.meta.url);
type Parts = Record<string, unknown>;

test("the replacement of undici's index exports the same as the original", () => {
  const index = require("undici") as Parts;
  const parts = require("../../bin/libraries/undici.cjs") as Parts;
  expect(Object.keys(parts)).not.toEqual([]);
  for (const name of Object.keys(parts)) expect(parts[name]).toBe(index[name]);
});
