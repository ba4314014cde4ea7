import type { ClockMode } from "../../contract/sandbox-values.ts";

/** A clock that can be moved on. Times are Unix milliseconds. */
export type SandboxClock = {
  readonly mode: ClockMode;
  now: () => number;
  /** Sets the time, which stands still until `release`. */
  hold: (atMs: number) => void;
  /** A real clock runs on from where it stands; a manual one stands still. */
  release: () => void;
  /** Goes back to the start. */
  restart: () => void;
};

/** `startMs`: where a manual clock starts; a real one starts at the system's time. */
export function createSandboxClock(mode: ClockMode, startMs?: number): SandboxClock {
  const isManual = mode === "manual";
  const startsAtMs = isManual ? (startMs ?? Date.now()) : undefined;
  let aheadMs = 0;
  let heldAtMs = startsAtMs;
  return {
    mode,
    now: () => heldAtMs ?? Date.now() + aheadMs,
    hold: (atMs) => {
      heldAtMs = atMs;
    },
    release: () => {
      if (isManual || heldAtMs === undefined) return;
      aheadMs = heldAtMs - Date.now();
      heldAtMs = undefined;
    },
    restart: () => {
      aheadMs = 0;
      heldAtMs = startsAtMs;
    },
  };
}
