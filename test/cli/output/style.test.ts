import { Chalk } from "chalk";
import { describe, expect, test } from "vitest";
import { setColors, colorStatus } from "../../../src/cli/output/style.ts";

// The colours of a stream are tested on the command: see test/cli/commands/screen.test.ts.

describe("a status", () => {
  test.each([
    ["succeeded", 32],
    ["failed", 31],
    ["pending", 33],
    ["refunded", 36],
  ])("%s has colour %d", (status, colour) => {
    const style = new Chalk({ level: 1 });
    expect(colorStatus(style, status)).toBe(`\u001B[${colour}m${status}\u001B[39m`);
  });

  test("is never shown by colour alone", () => {
    expect(colorStatus(new Chalk({ level: 0 }), "failed")).toBe("failed");
    expect(colorStatus(new Chalk({ level: 1 }), "other")).toBe("other");
  });
});

test.each([
  { argv: [], env: {}, expected: {} },
  { argv: ["--no-color"], env: {}, expected: { NO_COLOR: "1" } },
  { argv: ["--no-color"], env: { FORCE_COLOR: "1" }, expected: { NO_COLOR: "1" } },
  { argv: [], env: { NO_COLOR: "1", FORCE_COLOR: "1" }, expected: { NO_COLOR: "1" } },
  { argv: [], env: { CLICOLOR: "0" }, expected: { CLICOLOR: "0", NO_COLOR: "1" } },
  { argv: [], env: { CLICOLOR: "1" }, expected: { CLICOLOR: "1" } },
  { argv: [], env: { FORCE_COLOR: "0" }, expected: { NO_COLOR: "1" } },
  { argv: [], env: { TERM: "dumb" }, expected: { TERM: "dumb", NO_COLOR: "1" } },
  {
    argv: [],
    env: { CLICOLOR_FORCE: "1" },
    expected: { CLICOLOR_FORCE: "1", FORCE_COLOR: "1" },
  },
  {
    argv: [],
    env: { CLICOLOR_FORCE: "1", CLICOLOR: "0" },
    expected: { CLICOLOR_FORCE: "1", CLICOLOR: "0", FORCE_COLOR: "1" },
  },
])(
  "the variables for libraries that colour by themselves $argv with $env",
  ({ argv, env, expected }) => {
    const settled: NodeJS.ProcessEnv = { ...env };
    setColors(argv, settled);
    expect(settled).toEqual(expected);
  },
);
