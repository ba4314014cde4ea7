import { expect, test } from "@jest/globals";
import { expected, tryPackage } from "./try-package.mjs";

test("a sandbox in an ES module of jest", async () => {
  expect(await tryPackage()).toEqual(expected);
});
