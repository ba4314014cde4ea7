import { Chalk } from "chalk";
import { describe, expect, test } from "vitest";
import { statusIn } from "../../src/output/style.ts";

// What colours a stream takes is tested on the command: see test/commands/colours.test.ts.

describe("a status", () => {
  test.each([
    ["succeeded", 32],
    ["failed", 31],
    ["pending", 33],
    ["refunded", 36],
  ])("%s has colour %d", (status, colour) => {
    const style = new Chalk({ level: 1 });
    expect(statusIn(style, status)).toBe(`\u001B[${colour}m${status}\u001B[39m`);
  });

  test("is always a word", () => {
    expect(statusIn(new Chalk({ level: 0 }), "failed")).toBe("failed");
    expect(statusIn(new Chalk({ level: 1 }), "other")).toBe("other");
  });
});
