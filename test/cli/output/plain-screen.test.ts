import { expect, test } from "vitest";
import { wantsPlainScreen } from "../../../src/cli/output/style.ts";

test.each([
  [{}, false],
  [{ TERM: "xterm" }, false],
  [{ ACCESSIBLE: "" }, false],
  [{ ACCESSIBLE: "1", TERM: "xterm" }, true],
  [{ TERM: "dumb" }, true],
])("the screen %j is plain: %s", (env, plain) => {
  expect(wantsPlainScreen(env)).toBe(plain);
});
