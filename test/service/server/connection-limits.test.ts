import { describe, expect, test } from "vitest";
import { computeConnectionLimits } from "../../../src/service/server/connection-limits.ts";

describe("the connections of a process that may open so many files", () => {
  test.each([
    [64, { clients: 16, probes: 8 }],
    [256, { clients: 64, probes: 32 }],
    [1_024, { clients: 768, probes: 32 }],
    [4_096, { clients: 3_840, probes: 32 }],
  ])("%d leave room for everything else: %j", (openFiles, limits) => {
    expect(computeConnectionLimits(openFiles)).toEqual(limits);
  });

  test("are not more than there is memory for, however many files there may be", () => {
    const { clients } = computeConnectionLimits(Infinity);
    expect(clients).toBeLessThan(Infinity);
    expect(computeConnectionLimits(100_000_000).clients).toBe(clients);
  });

  test("are too few for a service below 64 files, which says what it needs", () => {
    expect(() => computeConnectionLimits(63)).toThrow(
      "The service needs at least 64 open files, and this process may have 63.",
    );
  });

  test("come from the process's own limit where none is named", () => {
    expect(computeConnectionLimits().clients).toBeGreaterThan(0);
  });
});
