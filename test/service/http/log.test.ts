import { expect, test } from "vitest";
import { countAndReport } from "../../../src/service/http/log.ts";

test("the first occurrence is reported at once, then the count once an interval", () => {
  let nowMs = 0;
  const reported: number[] = [];
  const countOne = countAndReport(
    60_000,
    (count) => reported.push(count),
    () => nowMs,
  );
  for (nowMs = 0; nowMs < 120_000; nowMs += 1_000) countOne();
  expect(reported).toEqual([1, 60]);
  nowMs = 120_000;
  countOne();
  expect(reported).toEqual([1, 60, 60]);
});
