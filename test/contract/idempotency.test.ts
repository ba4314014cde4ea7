import { describe, expect, test } from "vitest";
import { idempotencyKey } from "../../src/contract/idempotency.ts";

describe("an idempotency key", () => {
  test.each(["a", "!", "~", "5f0c2a1e-7a34-4b7e-9f39-0d8a4b2c1d5e", "k".repeat(255)])(
    "may be %s",
    (key) => {
      expect(idempotencyKey.safeParse(key).success).toBe(true);
    },
  );

  test.each(["", " ", "a b", "a\t", "a\n", "é", "😀", "\u007f", "k".repeat(256)])(
    "may not be %j",
    (key) => {
      expect(idempotencyKey.safeParse(key).success).toBe(false);
    },
  );
});
