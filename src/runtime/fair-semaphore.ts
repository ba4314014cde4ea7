import { startWait } from "./promises.ts";

/** By default one owner leaves a quarter to those that come after it. */
const defaultTimesFree = 3;

/** Whether an owner that uses `used` may take more while `free` are free. */
export function isWithinShare(used: number, free: number, timesFree = defaultTimesFree): boolean {
  return used < timesFree * free;
}

/** A path of ids, the widest first: an account, then its endpoint. */
type Owner = readonly string[];
/**
 * `leaves`: so many slots stay free for requests that leave fewer. `when`: whether what else it needs is free, too; a
 * `change` by 0 asks again. `onTake` is called as it takes its slots, `onWait` where it has to wait, with what ends the
 * wait.
 */
type Wait = {
  size?: number;
  leaves?: number;
  when?: () => boolean;
  onTake?: () => void;
  onWait?: (giveUp: () => void) => void;
};
type Waiting = { wait: Wait; onSlot: () => void };
/** From the smallest to the largest. */
type Queue = { owner: Owner; waiting: Waiting[] };

/**
 * A semaphore whose slots are shared fairly. On each level of its path an owner uses at most `timesFree` times what it
 * leaves free: so one owner leaves a part free, however much it requests, and the more owners there are, the more equal
 * their shares become. An owner that uses nothing may take whatever is free.
 *
 * A slot that is released goes to the owner that uses the fewest, on the widest level first; equal owners take turns.
 * Of an owner's requests the one for the fewest slots is served first, and equal ones in their order. At most
 * `maxWaiting` wait, shared as the slots are.
 */
export function createFairSemaphore({
  slots,
  maxWaiting = Infinity,
  timesFree = defaultTimesFree,
}: {
  slots: number;
  maxWaiting?: number;
  timesFree?: number;
}) {
  const used = new FairShares(slots, timesFree);
  const waiting = new FairShares(maxWaiting, timesFree);
  const queues = new Map<string, Queue>();

  function canTake(owner: Owner, { size, leaves, when }: Wait): boolean {
    return used.canTake(owner, size, leaves) && (when?.() ?? true);
  }

  function take(owner: Owner, { size = 1, onTake }: Wait): Disposable {
    used.change(owner, size);
    onTake?.();
    let isReleased = false;
    return {
      [Symbol.dispose]: () => {
        if (isReleased) return;
        isReleased = true;
        change(owner, -size);
      },
    };
  }

  function change(owner: Owner, by: number): void {
    used.change(owner, by);
    if (by > 0) return;
    moveToEnd(owner);
    for (let next = nextQueue(); next; next = nextQueue()) next.waiting[0]?.onSlot();
  }

  /** An owner that had its turn goes to the end of the line. */
  function moveToEnd(owner: Owner): void {
    const key = keyOf(owner);
    const queue = queues.get(key);
    if (queue && queues.delete(key)) queues.set(key, queue);
  }

  /** The queue of the owner that uses the fewest, among those that may take what their first request needs. */
  function nextQueue(): Queue | undefined {
    let next: Queue | undefined;
    for (const queue of queues.values()) {
      const [first] = queue.waiting;
      if (!first || !canTake(queue.owner, first.wait)) continue;
      if (!next || usesFewer(queue.owner, next.owner)) next = queue;
    }
    return next;
  }

  function usesFewer(one: Owner, other: Owner): boolean {
    for (const level of one.keys()) {
      const difference = used.count(one, level + 1) - used.count(other, level + 1);
      if (difference !== 0) return difference < 0;
    }
    return false;
  }

  async function waitForSlot(
    owner: Owner,
    timeoutMs: number | undefined,
    request: Wait,
  ): Promise<Disposable | undefined> {
    const { size = 1, onWait } = request;
    const key = keyOf(owner);
    const queue = queues.get(key) ?? { owner, waiting: [] };
    queues.set(key, queue);
    waiting.change(owner, 1);
    const wait = startWait<Disposable>(timeoutMs, () => {
      queue.waiting.splice(queue.waiting.indexOf(entry), 1);
      if (queue.waiting.length === 0) queues.delete(key);
      waiting.change(owner, -1);
    });
    const entry: Waiting = { wait: request, onSlot: () => wait.end(take(owner, request)) };
    const before = queue.waiting.findLastIndex((other) => (other.wait.size ?? 1) <= size);
    queue.waiting.splice(before + 1, 0, entry);
    onWait?.(() => {
      if (queue.waiting.includes(entry)) wait.end();
    });
    return await wait.promise;
  }

  return {
    waitingCount: (): number => waiting.count(),
    /**
     * Takes `size` slots (one), to be disposed of. Where they are not free for this owner it waits; undefined where they
     * did not become free within `timeoutMs`, its wait was given up, or too many wait already.
     */
    acquire: async (
      owner: Owner,
      timeoutMs?: number,
      wait: Wait = {},
    ): Promise<Disposable | undefined> => {
      // The waiting requests may take no slot at present, so this one overtakes none of them.
      if (canTake(owner, wait)) return take(owner, wait);
      return waiting.canTake(owner) ? await waitForSlot(owner, timeoutMs, wait) : undefined;
    },
    /** Whether an owner may take `size` slots (one) now; without an owner, whether so many are free. */
    canTake: (owner: Owner, size?: number, leaves?: number): boolean =>
      used.canTake(owner, size, leaves),
    /** Takes so many slots more, whether they are free or not, or gives so many back where `by` is negative. */
    change,
  };
}

/**
 * Counts what owners use of something limited, on each level of their paths, and decides who may take more: an owner
 * uses at most `timesFree` times what it leaves free.
 */
export class FairShares {
  readonly #total: number;
  readonly #timesFree: number;
  readonly #used = new Map<string, number>();
  #usedByAll = 0;

  constructor(total: number, timesFree = defaultTimesFree) {
    this.#total = total;
    this.#timesFree = timesFree;
  }

  /** The total use of the owners whose paths begin with the first `level` ids of this one; by default of all owners. */
  count(owner: Owner = [], level = owner.length): number {
    return level === 0 ? this.#usedByAll : (this.#used.get(keyOf(owner, level)) ?? 0);
  }

  /** Whether an owner may take `size` more of what is limited, of which `leaves` stay free. */
  canTake(owner: Owner, size = 1, leaves = 0): boolean {
    let capacity = this.#total - leaves;
    if (this.count() + size > capacity) return false;
    for (const level of owner.keys()) {
      const free = capacity - this.count(owner, level);
      if (!isWithinShare(this.count(owner, level + 1), free, this.#timesFree)) return false;
      capacity = Math.ceil((capacity * this.#timesFree) / (this.#timesFree + 1));
    }
    return true;
  }

  change(owner: Owner, by: number): void {
    this.#usedByAll += by;
    for (let level = 1; level <= owner.length; level++) {
      const count = this.count(owner, level) + by;
      if (count === 0) this.#used.delete(keyOf(owner, level));
      else this.#used.set(keyOf(owner, level), count);
    }
  }
}

/** Ids hold no line breaks. */
function keyOf(owner: Owner, level = owner.length): string {
  if (level === 1) return owner[0] ?? ""; // every request computes these
  return owner.slice(0, level).join("\n");
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
