import { describe, expect, test } from "vitest";
import { computeConnectionLimits } from "../../../src/service/server/connection-limits.ts";

describe("the maximum of connections", () => {
  test.each([
    [64, { clients: 16, probes: 8 }],
    [256, { clients: 64, probes: 32 }],
    [1_024, { clients: 768, probes: 32 }],
    [4_096, { clients: 3_840, probes: 32 }],
  ])("for %d open files is %j", (openFiles, limits) => {
    expect(computeConnectionLimits(openFiles)).toEqual(limits);
  });

  test("is limited by memory if there is no limit of open files", () => {
    const { clients } = computeConnectionLimits(Infinity);
    expect(clients).toBeLessThan(Infinity);
    expect(computeConnectionLimits(100_000_000).clients).toBe(clients);
  });

  test("is an error below 64 open files", () => {
    expect(() => computeConnectionLimits(63)).toThrow(
      "The service needs at least 64 open files, and this process may have 63.",
    );
  });

  test("follows the process's own limit by default", () => {
    expect(computeConnectionLimits().clients).toBeGreaterThan(0);
  });
});
