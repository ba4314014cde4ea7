import * as fc from "fast-check";
import { v7 } from "uuid";
import { describe, expect, test } from "vitest";
import { maxIdOf, parseCreated, toIdBound } from "../../../src/service/database/ids.ts";

const latestMs = 2 ** 48 - 1;
/** Any id that can be made at a time in Unix milliseconds. */
const idAt = (msecs: number, seq: number, byte: number) =>
  `pay_${v7({ msecs, seq, random: new Uint8Array(16).fill(byte) })}`;
const aTime = fc.oneof(fc.integer({ min: 0, max: latestMs }), fc.constantFrom(0, latestMs));
const aSequence = fc.oneof(
  fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  fc.constantFrom(0, 2 ** 32 - 1),
);
const aByte = fc.constantFrom(0, 127, 255);

describe("the id of a payment", () => {
  test("holds the second of its creation", () => {
    fc.assert(
      fc.property(aTime, aSequence, aByte, (ms, sequence, byte) => {
        expect(parseCreated(idAt(ms, sequence, byte))).toBe(Math.floor(ms / 1000));
      }),
    );
  });

  test("lies on the same side of a bound as its creation of that time", () => {
    const around = fc.constantFrom(-1001, -1000, -1, 0, 1, 999, 1000);
    fc.assert(
      fc.property(aTime, around, aSequence, aByte, (ms, by, sequence, byte) => {
        const seconds = Math.floor(ms / 1000);
        const createdMs = Math.min(Math.max(seconds * 1000 + by, 0), latestMs - 1);
        const id = idAt(createdMs, sequence, byte);
        expect(id > toIdBound("pay_", seconds)).toBe(Math.floor(createdMs / 1000) >= seconds);
      }),
    );
  });

  test("is never equal to a bound", () => {
    expect(idAt(1_000_000, 0, 0)).not.toBe(toIdBound("pay_", 1000));
  });
});

describe("a bound", () => {
  test.each([0, 1, 1_767_225_600])("at %d s begins like an id", (seconds) => {
    expect(toIdBound("pay_", seconds)).toMatch(/^pay_[0-9a-f]{8}-[0-9a-f]{4}$/);
  });

  test("later than any id's time stays behind the ids of every time before", () => {
    const last = toIdBound("pay_", Number.MAX_SAFE_INTEGER);
    expect(last).toMatch(/^pay_[0-9a-f]{8}-[0-9a-f]{4}$/);
    expect(idAt(latestMs - 1, 2 ** 32 - 1, 255) < last).toBe(true);
  });
});

test("maxIdOf sorts after every id", () => {
  expect(idAt(latestMs, 2 ** 32 - 1, 255) < maxIdOf("pay_")).toBe(true);
});
