import { expect, test } from "vitest";
import { countAndReport } from "../../../src/service/http/log.ts";

test("what happens often is told of at once, and then once an interval, with how often it was", () => {
  let nowMs = 0;
  const told: number[] = [];
  const happen = countAndReport(
    60_000,
    (count) => told.push(count),
    () => nowMs,
  );
  for (nowMs = 0; nowMs < 120_000; nowMs += 1_000) happen();
  expect(told).toEqual([1, 60]);
  nowMs = 120_000;
  happen();
  expect(told).toEqual([1, 60, 60]);
});
