type Window = { count: number; endsAtMs: number };

/**
 * Counts by key in windows of time, each of which begins with the first that is counted in it. Of more than
 * `maxKeys` the one whose window began first is forgotten.
 */
export class WindowCounts {
  readonly #windows = new Map<string, Window>();
  readonly #windowMs: number;
  readonly #maxKeys: number;

  constructor(windowMs: number, maxKeys: number) {
    this.#windowMs = windowMs;
    this.#maxKeys = maxKeys;
  }

  /** Counts one more; answers how many they are by now, and how long their window still lasts. */
  add(key: string): { count: number; leftMs: number } {
    const nowMs = performance.now();
    let window = this.#windows.get(key);
    if (!window || window.endsAtMs <= nowMs) {
      this.#windows.delete(key); // the youngest window is the last
      window = { count: 0, endsAtMs: nowMs + this.#windowMs };
      this.#windows.set(key, window);
      this.#forgetTheOldest();
    }
    window.count++;
    return { count: window.count, leftMs: window.endsAtMs - nowMs };
  }

  find(key: string): { count: number; leftMs: number } {
    const { count, endsAtMs } = this.#windows.get(key) ?? { count: 0, endsAtMs: 0 };
    const leftMs = endsAtMs - performance.now();
    return leftMs > 0 ? { count, leftMs } : { count: 0, leftMs: 0 };
  }

  #forgetTheOldest(): void {
    const [oldest] = this.#windows.keys();
    if (this.#windows.size > this.#maxKeys && oldest !== undefined) this.#windows.delete(oldest);
  }
}
