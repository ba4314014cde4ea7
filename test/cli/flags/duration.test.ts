import { describe, expect, test } from "vitest";
import { parseDuration } from "../../../src/cli/flags/time.ts";

describe("a duration", () => {
  test.each([
    ["0s", 0],
    ["500ms", 500],
    ["2s", 2_000],
    ["1.5s", 1_500],
    ["0.001s", 1],
    ["5m", 300_000],
    ["24h", 86_400_000],
    ["7d", 604_800_000],
  ])("%s is %d ms", (text, ms) => {
    expect(parseDuration(text, "--timeout")).toBe(ms);
  });

  test.each([
    "",
    "5",
    "s",
    "-1s",
    "+1s",
    "1 s",
    "1S",
    "1w",
    "1y",
    "1e3s",
    "1s1s",
    "Infinity",
    " 1s",
  ])("%j is refused, with the flag and how to write one", (text) => {
    expect(() => parseDuration(text, "--timeout")).toThrow(
      expect.objectContaining({
        exitCode: 2,
        message: "--timeout must be a duration such as 500ms, 2s, 5m, 24h or 7d.",
      }),
    );
  });
});

test("may have a maximum", () => {
  expect(parseDuration("24h", "--overlap", "1d")).toBe(86_400_000);
  expect(() => parseDuration("25h", "--overlap", "1d")).toThrow("--overlap must be at most 1d.");
});
