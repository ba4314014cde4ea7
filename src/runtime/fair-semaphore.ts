import { startWait } from "./promises.ts";

/** By default one owner leaves a quarter to those that come after it. */
const defaultTimesFree = 3;

/** Whether an owner that uses `used` may take more while `free` are free. */
export function isWithinShare(used: number, free: number, timesFree = defaultTimesFree): boolean {
  return used < timesFree * free;
}

/** A path of ids, the widest first: an account, then its endpoint. */
type Owner = readonly string[];
type Queue = { owner: Owner; waiting: Set<() => void> };

/**
 * A semaphore whose slots are shared fairly. On each level of its path an owner uses at most `timesFree` times what it
 * leaves free: so one owner leaves a part free, however much it requests, and the more owners there are, the more equal
 * their shares become. An owner that uses nothing may take whatever is free.
 *
 * A slot that is released goes to the owner that uses the fewest, on the widest level first; equal owners take turns,
 * and each owner's requests are served in their order. At most `maxWaiting` wait, shared as the slots are.
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

  function take(owner: Owner): Disposable {
    used.change(owner, 1);
    let isReleased = false;
    return {
      [Symbol.dispose]: () => {
        if (isReleased) return;
        isReleased = true;
        used.change(owner, -1);
        moveToEnd(owner);
        for (let next = nextQueue(); next; next = nextQueue()) {
          const [onSlot] = next.waiting;
          onSlot?.();
        }
      },
    };
  }

  /** An owner that had its turn goes to the end of the line. */
  function moveToEnd(owner: Owner): void {
    const key = keyOf(owner);
    const queue = queues.get(key);
    if (queue && queues.delete(key)) queues.set(key, queue);
  }

  /** The queue of the owner that uses the fewest, among those that may take one more. */
  function nextQueue(): Queue | undefined {
    let next: Queue | undefined;
    for (const queue of queues.values()) {
      if (!used.canTake(queue.owner)) continue;
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

  async function waitForSlot(owner: Owner, timeoutMs?: number): Promise<Disposable | undefined> {
    const key = keyOf(owner);
    const queue = queues.get(key) ?? { owner, waiting: new Set() };
    queues.set(key, queue);
    waiting.change(owner, 1);
    const wait = startWait<Disposable>(timeoutMs, () => {
      queue.waiting.delete(onSlot);
      if (queue.waiting.size === 0) queues.delete(key);
      waiting.change(owner, -1);
    });
    const onSlot = () => wait.end(take(owner));
    queue.waiting.add(onSlot);
    return await wait.promise;
  }

  return {
    waitingCount: (): number => waiting.count(),
    /**
     * Takes a slot, to be disposed of. Where none is free for this owner it waits; undefined where none became free
     * within `timeoutMs`, or too many wait already.
     */
    acquire: async (owner: Owner, timeoutMs?: number): Promise<Disposable | undefined> => {
      // The waiting owners may take no slot at present, so this one overtakes none of them.
      if (used.canTake(owner)) return take(owner);
      return waiting.canTake(owner) ? await waitForSlot(owner, timeoutMs) : undefined;
    },
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

  constructor(total: number, timesFree = defaultTimesFree) {
    this.#total = total;
    this.#timesFree = timesFree;
  }

  /** The total use of the owners whose paths begin with the first `level` ids of this one; by default of all owners. */
  count(owner: Owner = [], level = owner.length): number {
    return this.#used.get(keyOf(owner, level)) ?? 0;
  }

  canTake(owner: Owner): boolean {
    let capacity = this.#total;
    if (this.count() >= capacity) return false;
    for (const level of owner.keys()) {
      const free = capacity - this.count(owner, level);
      if (!isWithinShare(this.count(owner, level + 1), free, this.#timesFree)) return false;
      capacity = Math.ceil((capacity * this.#timesFree) / (this.#timesFree + 1));
    }
    return true;
  }

  change(owner: Owner, by: number): void {
    for (let level = 0; level <= owner.length; level++) {
      const count = this.count(owner, level) + by;
      if (count === 0) this.#used.delete(keyOf(owner, level));
      else this.#used.set(keyOf(owner, level), count);
    }
  }
}

/** Ids hold no line breaks. */
function keyOf(owner: Owner, level = owner.length): string {
  if (level < 2) return level === 0 ? "" : (owner[0] ?? ""); // every request computes these
  return owner.slice(0, level).join("\n");
}
