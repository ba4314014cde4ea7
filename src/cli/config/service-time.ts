import type { TransportAnswer } from "../../runtime/http-transport.ts";

/** A `Date` header has whole seconds, and is some time on its way. */
const sameWithinMs = 2_000;

/**
 * The service's time, by the `Date` of its last response; this machine's before there is one. A sandbox's clock is its
 * own: it may be moved on, and may stand still.
 */
export function createServiceTime() {
  let otherMs: number | undefined;
  return {
    see: (headers: TransportAnswer["headers"]): void => {
      const seenMs = Date.parse(headers["date"] ?? "");
      const isOther = Math.abs(seenMs - Date.now()) > sameWithinMs;
      otherMs = isOther ? seenMs : undefined;
    },
    /** In Unix milliseconds. */
    nowMs: (): number => otherMs ?? Date.now(),
  };
}
