import { createRequire } from "node:module";
import { cachedDataVersionTag } from "node:v8";
import { expect, test } from "vitest";

const require = createRequire(import.meta.url);
type Parts = Record<string, unknown>;

test("the replacement of undici's index exports the same as the original", () => {
  const index = require("undici") as Parts;
  const parts = require("../../bin/libraries/undici.cjs") as Parts;
  expect(Object.keys(parts)).not.toEqual([]);
  for (const name of Object.keys(parts)) expect(parts[name]).toBe(index[name]);
});

test("the replacement of undici's parser is the original, and leaves V8's flags as they were", async () => {
  const flags = cachedDataVersionTag();
  const parser: unknown = require("../../bin/libraries/llhttp.cjs");
  expect(cachedDataVersionTag()).not.toBe(flags);
  await Promise.resolve();
  expect(cachedDataVersionTag()).toBe(flags);
  expect(parser).toBe(require("undici/lib/llhttp/llhttp_simd-wasm.js"));
});
