import { afterEach, expect, test, vi } from "vitest";
import { runSync } from "../../../src/service/database/driver.ts";
import { gatherWrites } from "../../../src/service/database/postgres-round-trips.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** A write that needs no query, by its key. */
function writeNothing(writes: ReturnType<typeof gatherWrites>, key: string): Promise<string> {
  return writes.write("acct_1", {
    item: () => key,
    keys: () => [key],
    bytes: () => 1,
    // eslint-disable-next-line require-yield
    *write(keys) {
      return keys.map(() => () => key);
    },
  });
}

test("a write of a process that was suspended is refused alone, and fresh ones are made", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const counts: number[] = [];
  const writes = gatherWrites({
    writeOnce: async (work, count) => {
      counts.push(count);
      return runSync(work(), () => []);
    },
    isByAccount: () => false,
  });
  const late = writeNothing(writes, "late");
  vi.advanceTimersByTime(16_000);
  const fresh = writeNothing(writes, "fresh");
  await expect(late).rejects.toThrow("has waited too long");
  expect(await fresh).toBe("fresh");
  expect(counts).toEqual([1]);
});
