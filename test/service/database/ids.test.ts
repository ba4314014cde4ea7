import * as fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { paymentIdPattern } from "../../../src/contract/field-values.ts";
import { ids, parseCreated } from "../../../src/service/database/ids.ts";

afterEach(() => {
  vi.useRealTimers();
});

describe("payment ids", () => {
  test("have the format of the specification, with the time of their creation", () => {
    vi.useFakeTimers({ now: Date.UTC(2026, 10, 15, 12, 0, 0, 999), toFake: ["Date"] });
    const id = ids.payment();
    expect(id).toMatch(paymentIdPattern);
    expect(id).toMatch(/^pay_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(parseCreated(id)).toBe(Date.UTC(2026, 10, 15, 12) / 1000);
  });

  test("increase, also within a millisecond and when the clock is set back", () => {
    vi.useFakeTimers({ now: Date.UTC(2027, 0, 1), toFake: ["Date"] });
    let last = ids.payment();
    const stepMs = fc.oneof(fc.constant(0), fc.integer({ min: -5_000, max: 5_000 }));
    fc.assert(
      fc.property(stepMs, (step) => {
        vi.setSystemTime(Date.now() + step);
        const next = ids.payment();
        expect(next > last).toBe(true);
        last = next;
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("secrets", () => {
  test.each([0, 1, 43, 1_000])("have %d base62 characters", (length) => {
    expect(ids.secret(length)).toMatch(new RegExp(`^[0-9A-Za-z]{${length}}$`));
  });

  test("contain every character equally often", () => {
    const count = 10_000;
    const counts = new Map<string, number>();
    for (const character of ids.secret(62 * count)) {
      counts.set(character, (counts.get(character) ?? 0) + 1);
    }
    expect(counts.size).toBe(62);
    // A bias by the remainder of 256 / 62 would be 20 %; seven standard deviations are 7 %.
    for (const times of counts.values()) expect(Math.abs(times - count)).toBeLessThan(count * 0.07);
  });

  test("are not repeated", () => {
    const secrets = Array.from({ length: 1_000 }, () => ids.secret(43));
    expect(new Set(secrets).size).toBe(1_000);
  });
});

test("key ids are key_ and a UUIDv7", () => {
  expect(ids.apiKey()).toMatch(/^key_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{18,}$/);
});
