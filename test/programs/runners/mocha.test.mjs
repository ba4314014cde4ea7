import { deepEqual } from "node:assert/strict";
import { it } from "mocha";
import { expected, tryPackage } from "./try-package.mjs";

it("a sandbox in mocha", async () => {
  deepEqual(await tryPackage(), expected);
});
