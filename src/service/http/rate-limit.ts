import { ServiceError } from "../domain/service-error.ts";
import type { Guard } from "./request-guards.ts";

const rateWindowMs = 1_000;
/** Keys that are counted at a time. */
const maxRatedKeys = 10_000;

/**
 * Lets each key make so many requests a second on this replica, in windows of a second that begin with a key's
 * first request. Error: rate_limit_exceeded.
 */
export function limitRate(perSecond: number): Guard {
  const counts = new WindowCounts(rateWindowMs, maxRatedKeys);
  return ({ principal }, reply) => {
    const { count, leftMs } = counts.add(principal.keyId);
    const waitSeconds = Math.max(1, Math.ceil(leftMs / 1000));
    reply.headers({
      "x-ratelimit-limit": perSecond,
      "x-ratelimit-remaining": Math.max(0, perSecond - count),
      "x-ratelimit-reset": waitSeconds,
    });
    if (count <= perSecond) return;
    throw new ServiceError(
      "rate_limit_exceeded",
      `This key may make ${perSecond} requests a second. Wait for as many seconds as Retry-After says, then send fewer.`,
    );
  };
}

type Window = { count: number; endsAtMs: number };
type Count = { count: number; leftMs: number };

/**
 * Counts by key in windows of time. A window begins with the first count in it. Beyond `maxKeys` the oldest
 * window is dropped.
 */
export class WindowCounts {
  readonly #windows = new Map<string, Window>();
  readonly #windowMs: number;
  readonly #maxKeys: number;

  constructor(windowMs: number, maxKeys: number) {
    this.#windowMs = windowMs;
    this.#maxKeys = maxKeys;
  }

  /** Counts one more; returns the count, and the time until its window ends. */
  add(key: string): Count {
    const nowMs = performance.now();
    let window = this.#windows.get(key);
    if (!window || window.endsAtMs <= nowMs) {
      this.#windows.delete(key); // so that the newest window is the last
      window = { count: 0, endsAtMs: nowMs + this.#windowMs };
      this.#windows.set(key, window);
      const [oldest] = this.#windows.keys();
      if (this.#windows.size > this.#maxKeys && oldest !== undefined) this.#windows.delete(oldest);
    }
    window.count++;
    return { count: window.count, leftMs: window.endsAtMs - nowMs };
  }

  find(key: string): Count {
    const { count, endsAtMs } = this.#windows.get(key) ?? { count: 0, endsAtMs: 0 };
    const leftMs = endsAtMs - performance.now();
    return leftMs > 0 ? { count, leftMs } : { count: 0, leftMs: 0 };
  }
}
