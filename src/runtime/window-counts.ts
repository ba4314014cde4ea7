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
