import { Unavailable } from "./failures.ts";

/** Node's timers fire at once with a longer time. */
export const maxTimerMs = 2 ** 31 - 1;

/**
 * Resolves as `promise` does or, after `timeoutMs`, with the result of `late`. A later failure is ignored.
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
 * a caller that has left is given nothing.
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
 * Shares one call to the store among all callers that wait for it, because frequent callers must not overload a
 * slow store. Rejects with Unavailable after `timeoutMs`.
 */
export function singleFlight<T>(call: () => Promise<T>, timeoutMs: number): () => Promise<T> {
  let current: Promise<T> | undefined;
  return async () =>
    (current ??= withTimeout(call(), timeoutMs, () => {
      throw new Unavailable(`The store did not answer within ${timeoutMs / 1000} s.`);
    }).finally(() => (current = undefined)));
}

/** As Promise.all, but a failure rejects only after every promise has settled, so that none of the work still runs. */
export async function awaitAll<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return await Promise.all(promises);
}

/**
 * Does the same work several times, some of them at once. After a failure nothing more is begun: the result is its
 * error, once all that was begun has ended.
 */
export async function repeatAtOnce(
  work: () => Promise<void>,
  { times, maxAtOnce }: { times: number; maxAtOnce: number },
): Promise<unknown> {
  const errors: unknown[] = [];
  let begun = 0;
  const repeat = async () => {
    while (begun < times && errors.length === 0) {
      begun++;
      await work().catch((error: unknown) => errors.push(error));
    }
  };
  await Promise.all(Array.from({ length: Math.min(times, maxAtOnce) }, repeat));
  return errors[0];
}
