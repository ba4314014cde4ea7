import { deepEqual } from "node:assert/strict";
import { test } from "node:test";
import { expected, tryPackage } from "./try-package.mjs";

void test("a sandbox in node:test", async () => {
  deepEqual(await tryPackage(), expected);
});
