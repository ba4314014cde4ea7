import { expect, test } from "vitest";
import { checkedKeyName } from "../../../src/cli/input/key-name.ts";

test.each(["ci", "Ada’s laptop 💳", "é".repeat(200), "💳".repeat(200)])("may be %s", (name) => {
  expect(checkedKeyName(name)).toBe(name);
});

test.each(["x".repeat(201), "💳".repeat(201), "two\nlines", "\u001B[31mred", "a\0", "\uD800"])(
  "may not be %j, which is not repeated",
  (name) => {
    expect(() => checkedKeyName(name)).toThrow(
      expect.objectContaining({
        exitCode: 2,
        message: "--name must be 1 to 200 characters, without control characters.",
      }),
    );
  },
);

test.each(["", "  "])("may not be empty (%j)", (name) => {
  expect(() => checkedKeyName(name)).toThrow("--name is empty.");
});
