import { Unavailable } from "./failures.ts";

/** Node's timers fire at once with a longer time. */
export const maxTimerMs = 2 ** 31 - 1;

/**
 * Resolves as `promise` does or, after `timeoutMs`, with what `late` returns or throws. A failure that comes later
 * is ignored.
 */
export async function withTimeout<T, L>(
  promise: Promise<T>,
  timeoutMs: number,
  late: () => L,
): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<"late">((resolve) => {
    timer = setTimeout(resolve, Math.min(Math.max(0, timeoutMs), maxTimerMs), "late");
  });
  promise.catch(() => {});
  try {
    const first = await Promise.race([promise.then((value) => ({ value })), timedOut]);
    return first === "late" ? late() : first.value;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * A wait in line, which `end` ends with a value, or `timeoutMs` without one. `onEnd` runs at that very moment, so that
 * nothing is handed to a caller that has left.
 */
export function startWait<T>(timeoutMs: number | undefined, onEnd: () => void) {
  const { promise, resolve } = Promise.withResolvers<T | undefined>();
  const end = (value?: T) => {
    clearTimeout(timer);
    onEnd();
    resolve(value);
  };
  const timer = timeoutMs === undefined ? undefined : setTimeout(end, timeoutMs);
  return { promise, end };
}

/**
 * Shares one call to the store among all callers that wait for it: frequent callers must not fill a store that is
 * slow already. Rejects with Unavailable after `timeoutMs`.
 */
export function singleFlight<T>(ask: () => Promise<T>, timeoutMs: number): () => Promise<T> {
  let current: Promise<T> | undefined;
  return async () =>
    (current ??= withTimeout(ask(), timeoutMs, () => {
      throw new Unavailable(`The store did not answer within ${timeoutMs / 1000} s.`);
    }).finally(() => (current = undefined)));
}
