import { expect, test } from "vitest";
import { checkedIdempotencyKey } from "../../../src/cli/input/idempotency-key.ts";

test.each(["a", "order-1001", "!~", "k".repeat(255)])("%j names a write", (key) => {
  expect(checkedIdempotencyKey(key)).toBe(key);
});

test.each(["", "a b", "é", "a\n", "k".repeat(256)])(
  "%j is refused before anything is sent",
  (key) => {
    expect(() => checkedIdempotencyKey(key)).toThrow(
      expect.objectContaining({
        exitCode: 2,
        message: "--idempotency-key must be 1 to 255 visible ASCII characters, without spaces.",
      }),
    );
  },
);
