import { createRequire } from "node:module";
import { expect, test } from "vitest";

const require = createRequire(import.meta.url);
type Parts = Record<string, unknown>;

test("what stands in the place of undici's index gives the same as it", () => {
  const index = require("undici") as Parts;
  const parts = require("../../bin/libraries/undici.cjs") as Parts;
  expect(Object.keys(parts)).not.toEqual([]);
  for (const name of Object.keys(parts)) expect(parts[name]).toBe(index[name]);
});
