import { expect, test } from "vitest";
import { expected, tryPackage } from "./try-package.mjs";

test("a sandbox in each pool of vitest", async () => {
  expect(await tryPackage()).toEqual(expected);
});
