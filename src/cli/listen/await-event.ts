import type { Forwarded } from "../../client/webhook-forwarder.ts";
import type { Event } from "../../contract/event.ts";
import { maxTimerMs } from "../../runtime/promises.ts";
import { CommandError } from "../errors/command-error.ts";
import type { AwaitedEvent } from "./listen-flags.ts";
import { isTaken } from "./run-listener.ts";

export type EventWait = Disposable & {
  /** Aborted once the event has come, or the time is over. */
  signal: AbortSignal;
  see: (event: Event, forwarded: Forwarded | undefined) => void;
  /** Errors: the time is over. */
  assertCame: () => void;
};

/**
 * Waits, from now on, for an event of a type, which the address has taken where events are forwarded. Without a type
 * it never ends.
 */
export function awaitEvent(awaited: AwaitedEvent | undefined): EventWait {
  const over = new AbortController();
  let hasCome = false;
  const timer = awaited && setTimeout(() => over.abort(), Math.min(awaited.timeoutMs, maxTimerMs));
  return {
    signal: over.signal,
    see: (event, forwarded) => {
      if (event.type !== awaited?.type || !isTaken(forwarded)) return;
      hasCome = true;
      over.abort();
    },
    assertCame: () => {
      if (!awaited || hasCome) return;
      const { type, timeout } = awaited;
      throw new CommandError(
        "still_pending",
        `No ${type} event has come within ${timeout}, or the address has not taken it.`,
      );
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
