import type { MoveClockBody } from "../../contract/sandbox.ts";
import { maxAdvance, type ClockMode } from "../../contract/field-values.ts";
import { parseDurationText } from "../../runtime/time.ts";
import { ServiceError } from "../../contract/service-error.ts";

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

/**
 * `startMs`: where a manual clock starts, by default at the second that the system's clock is in: a caller reads times in
 * whole seconds, and could not compute when a clock that started between two reaches one. A real clock starts at the
 * system's time.
 */
export function createSandboxClock(mode: ClockMode, startMs?: number): SandboxClock {
  const isManual = mode === "manual";
  const startsAtMs = isManual ? (startMs ?? Math.floor(Date.now() / 1000) * 1000) : undefined;
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

const maxAheadMs = parseDurationText(maxAdvance) ?? 0;

/** The time to which the clock is moved. Error: parameter_invalid. */
export function computeMoveTarget({ advance, to }: MoveClockBody, nowMs: number): number {
  if (typeof advance === "number") return nowMs + advance;
  const targetMs = (to ?? 0) * 1000;
  if (targetMs < Math.floor(nowMs / 1000) * 1000) {
    throw new ServiceError(
      "parameter_invalid",
      `to must not be before the sandbox's time, which is ${Math.floor(nowMs / 1000)}: time moves on only. To start over, reset the sandbox.`,
      "to",
    );
  }
  if (targetMs > nowMs + maxAheadMs) {
    throw new ServiceError(
      "parameter_invalid",
      `to must be at most ${maxAdvance} ahead of the sandbox's time.`,
      "to",
    );
  }
  return Math.max(targetMs, nowMs);
}
