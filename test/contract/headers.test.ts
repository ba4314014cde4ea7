import { describe, expect, test } from "vitest";
import {
  findIdempotencyKeyMistake,
  newestVersion,
  findVersionMistake,
  findVersion,
  versions,
} from "../../src/contract/route.ts";

describe("a Service-Version", () => {
  test.each(["2026-11-01", "1999-12-31", "2024-02-29", "9999-12-31"])("may be %s", (date) => {
    expect(findVersionMistake(date)).toBeUndefined();
  });

  test.each([
    "",
    "2026-11-1",
    "26-11-01",
    "2026-13-01",
    "2026-00-10",
    "2026-02-29",
    "2026-04-31",
    "2026-11-01 ",
    "2026-11-01\n",
    "2026-11-01T00:00:00Z",
    "2026/11/01",
    "latest",
  ])("may not be %j", (date) => {
    expect(findVersionMistake(date)).toMatch(/^must be a date/);
  });

  test("before the first release pins the oldest version", () => {
    expect(findVersion("1999-12-31")).toBe(versions[0]);
  });

  test.each(versions)("on the day of %s pins that version", (version) => {
    expect(findVersion(version)).toBe(version);
  });

  test("after the last release pins the newest version", () => {
    expect(findVersion("9999-12-31")).toBe(newestVersion);
  });
});

test("the first version is 2026-11-01, and versions stand oldest first", () => {
  expect(versions[0]).toBe("2026-11-01");
  expect(versions.toSorted()).toEqual(versions);
});

describe("an idempotency key", () => {
  test.each(["a", "!", "~", "5f0c2a1e-7a34-4b7e-9f39-0d8a4b2c1d5e", "k".repeat(255)])(
    "may be %s",
    (key) => {
      expect(findIdempotencyKeyMistake(key)).toBeUndefined();
    },
  );

  test.each(["", " ", "a b", "a\t", "a\n", "é", "😀", "\u007f", "k".repeat(256)])(
    "may not be %j",
    (key) => {
      expect(findIdempotencyKeyMistake(key)).toMatch(/^must be 1 to 255/);
    },
  );
});
