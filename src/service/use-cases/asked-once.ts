import { Unavailable } from "./ports.ts";

/**
 * A question that is asked once at a time, however many wait for its answer, and for `limitMs` at the
 * most: who asks often must not fill a store that is slow already. Rejects with Unavailable when the
 * time is up.
 */
export function askedOnce<T>(ask: () => Promise<T>, limitMs: number): () => Promise<T> {
  let asked: Promise<T> | undefined;
  return async () => {
    if (asked) return asked;
    const answer = within(ask, limitMs).finally(() => (asked = undefined));
    asked = answer;
    return answer;
  };
}

async function within<T>(ask: () => Promise<T>, limitMs: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const late = new Unavailable(`The store did not answer within ${limitMs / 1000} s.`);
  const timer = setTimeout(() => reject(late), limitMs);
  try {
    return await Promise.race([ask(), promise]);
  } finally {
    clearTimeout(timer);
  }
}
