import { expect, test } from "vitest";
import { retryTransient } from "../../../src/service/store/postgres-retries.ts";

test("attempts that have waited too long for their turn are not begun", async () => {
  const late = { isRetry: false, deadlineMs: performance.now() - 1 };
  let begun = 0;
  const retried = retryTransient(late, 8, async () => begun++);
  await expect(retried).rejects.toThrow("has waited too long");
  expect(begun).toBe(0);
});
