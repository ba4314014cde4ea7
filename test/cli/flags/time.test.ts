import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { parseDuration } from "../../../src/cli/flags/waiting.ts";
import { parseTime } from "../../../src/cli/flags/list-flags.ts";
import { formatLocalTime } from "../../../src/cli/output/style.ts";

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

const nowMs = Date.UTC(2026, 10, 15, 12, 0, 0, 900);
const toSeconds = (...at: Parameters<typeof Date.UTC>) => Date.UTC(...at) / 1000;

beforeEach(() => {
  vi.stubEnv("TZ", "America/New_York");
});
afterEach(() => {
  vi.unstubAllEnvs();
});

describe("a point in time", () => {
  test.each([
    ["0", 0],
    ["1767225600", 1_767_225_600],
    ["24h", toSeconds(2026, 10, 14, 12)],
    ["7d", toSeconds(2026, 10, 8, 12)],
    ["90m", toSeconds(2026, 10, 15, 10, 30)],
    ["1.5h", toSeconds(2026, 10, 15, 10, 30)],
    ["1s", toSeconds(2026, 10, 15, 11, 59, 59)],
    ["99999d", 0], // longer ago than any time that can be said
    ["2026-11-15T09:30:00Z", toSeconds(2026, 10, 15, 9, 30)],
    ["2026-11-15T09:30:00.999Z", toSeconds(2026, 10, 15, 9, 30)],
    ["2026-11-15T09:30+01:00", toSeconds(2026, 10, 15, 8, 30)],
    ["2028-02-29T00:00Z", toSeconds(2028, 1, 29)],
  ])("%s is %d", (text, at) => {
    expect(parseTime(text, "--created-gte", nowMs)).toBe(at);
  });

  test.each([
    ["2026-11-15", toSeconds(2026, 10, 15, 5)],
    ["2026-11-15T09:30", toSeconds(2026, 10, 15, 14, 30)],
    ["2026-11-15T09:30:15", toSeconds(2026, 10, 15, 14, 30, 15)],
    ["2026-07-01", toSeconds(2026, 6, 1, 4)],
    ["2026-11-15 09:30", toSeconds(2026, 10, 15, 14, 30)],
    [" 2026-11-15 09:30:15 ", toSeconds(2026, 10, 15, 14, 30, 15)],
    ["today", toSeconds(2026, 10, 15, 5)],
    ["Yesterday", toSeconds(2026, 10, 14, 5)],
    ["sunday", toSeconds(2026, 10, 15, 5)], // it is one
    ["MONDAY", toSeconds(2026, 10, 9, 5)],
    ["saturday", toSeconds(2026, 10, 14, 5)],
    ["today 09:30", toSeconds(2026, 10, 15, 14, 30)],
    ["Yesterday 14:00", toSeconds(2026, 10, 14, 19)],
    ["sunday 23:00", toSeconds(2026, 10, 16, 4)], // still to come
    [" MONDAY 08:00:07 ", toSeconds(2026, 10, 9, 13, 0, 7)],
    ["2026-11-01 01:30", toSeconds(2026, 10, 1, 5, 30)], // the first of two, while clocks are put back
    ["0d", Math.floor(nowMs / 1000)],
  ])("%s without a zone is local, here in New York", (text, at) => {
    expect(parseTime(text, "--created-gte", nowMs)).toBe(at);
  });

  test.each([
    ["today", "2026-03-09T03:59:59Z", toSeconds(2026, 2, 8, 5)],
    ["yesterday", "2026-03-09T04:00:00Z", toSeconds(2026, 2, 8, 5)],
    ["sunday", "2026-11-08T04:59:59Z", toSeconds(2026, 10, 1, 4)],
    ["monday", "2026-11-08T05:00:00Z", toSeconds(2026, 10, 2, 5)],
    ["yesterday 12:00", "2026-11-02T04:59:59Z", toSeconds(2026, 9, 31, 16)],
    ["sunday 12:00", "2026-11-08T04:59:59Z", toSeconds(2026, 10, 1, 17)],
  ])("%s at %s begins when that day began, whatever clocks did since", (text, now, at) => {
    expect(parseTime(text, "--created-gte", Date.parse(now))).toBe(at);
  });

  test("a date whose midnight clocks skip begins with its first moment", () => {
    vi.stubEnv("TZ", "Africa/Cairo");
    expect(parseTime("2026-04-24", "--since", nowMs)).toBe(toSeconds(2026, 3, 23, 22));
    expect(parseTime("friday", "--since", Date.UTC(2026, 3, 25))).toBe(toSeconds(2026, 3, 23, 22));
  });

  test("a time that is shown is read as the time that it was", () => {
    for (const zone of ["UTC", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kathmandu"]) {
      vi.stubEnv("TZ", zone);
      for (let at = toSeconds(2026, 0, 1); at < toSeconds(2027, 0, 1); at += 86_400 * 7 + 3_607)
        expect(parseTime(formatLocalTime(at), "--since", nowMs)).toBe(at);
    }
  });

  test.each([
    ["", "is no time"],
    ["-1", "is no time"],
    ["-5d", "is no time"],
    ["1.5", "is no time"],
    ["7w", "is no time"],
    ["9999999999d", "is no time"],
    ["tomorrow", "is no time"],
    ["mon", "is no time"],
    ["mon 08:00", "is no time"],
    ["monday 24:00", "is no time"],
    ["monday 8", "is no time"],
    ["7d 08:00", "is no time"],
    ["20261115", "is no time"], // a date, or a second of 1970
    ["1234567890123", "is no time"],
    ["2026-11", "is no time"],
    ["2026-13-01", "is no time that exists here"],
    ["2026-02-30", "is no time that exists here"],
    ["2026-02-29T12:00Z", "is no time that exists here"],
    ["2026-11-31T00:00", "is no time that exists here"],
    ["2026-11-15T25:00", "is no time that exists here"],
    ["2026-11-15 24:00", "is no time that exists here"],
    ["2026-03-08 02:30", "is no time that exists here"], // clocks are put forward
    ["15.11.2026", "could be two dates"],
    ["11/12/2026", "could be two dates"],
    ["11-12-26 07:12", "could be two dates"],
  ])("%j is refused, with the flag and how to write one", (text, mistake) => {
    expect(() => parseTime(text, "--created-lt", nowMs)).toThrow(
      expect.objectContaining({
        exitCode: 2,
        message: `--created-lt ${mistake}.`,
        hint: "Write it as 2026-11-29 07:12, a date, today, yesterday, a weekday (monday, monday 08:00), an age such as 36h or 7d, or Unix seconds.",
      }),
    );
  });
});
