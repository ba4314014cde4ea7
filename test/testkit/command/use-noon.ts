import { afterEach, beforeEach, vi } from "vitest";

/** The time of 2026-11-15 12:00:00, in Unix seconds. */
export const noon = 1_794_744_000;

/** Makes each test of a file run at noon UTC. */
export function useNoon(): void {
  beforeEach(() => {
    vi.stubEnv("TZ", "UTC");
    vi.useFakeTimers({ now: noon * 1000, toFake: ["Date"] });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllEnvs();
  });
}
