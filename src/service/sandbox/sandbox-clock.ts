import { createHash } from "node:crypto";
import { ServiceError } from "../../contract/error.ts";
import { type ClockMode, maxAdvance } from "../../contract/field-values.ts";
import type { MoveClockBody } from "../../contract/sandbox.ts";
import { parseDurationText } from "../../runtime/time.ts";

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

const blockBytes = 32;

/**
 * Random values that repeat with the seed. Each purpose has its own sequence, so that a value more of one kind does not
 * change the others.
 */
export function createSeededRandom(seed: string) {
  const counts = new Map<string, number>();

  function bytes(purpose: string, length: number): Buffer {
    const drawn = Buffer.alloc(Math.ceil(length / blockBytes) * blockBytes);
    for (let at = 0; at < length; at += blockBytes) {
      const count = counts.get(purpose) ?? 0;
      counts.set(purpose, count + 1);
      drawn.set(digest(`${purpose}/${count}`), at);
    }
    return drawn.subarray(0, length);
  }

  function digest(text: string): Uint8Array {
    return createHash("sha256")
      .update(JSON.stringify([seed, text]))
      .digest();
  }

  return {
    bytes,
    /** A UUIDv4. */
    uuid: (purpose = "uuid"): string => {
      const random = bytes(purpose, 16);
      random[6] = ((random[6] ?? 0) & 0x0f) | 0x40;
      random[8] = ((random[8] ?? 0) & 0x3f) | 0x80;
      const hex = random.toString("hex");
      return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
    },
    /** From 0 to below 1, always the same for a subject. */
    jitter: (subject: string): number =>
      new DataView(digest(`jitter/${subject}`).buffer).getUint32(0) / 2 ** 32,
  };
}
