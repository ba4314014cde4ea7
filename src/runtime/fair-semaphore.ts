import { FairShares } from "./fair-shares.ts";

type Options = {
  slots: number;
  /** How many may wait at once, shared as the slots are; any number by default. */
  maxWaiting?: number;
  /** See FairShares. */
  timesFree?: number;
};
type Line = { owner: readonly string[]; waiting: Set<() => void> };

/**
 * A semaphore whose slots are shared by their owners (see FairShares). A slot that is given back goes to the owner that
 * holds the fewest, on the widest level first; among equals they take turns, and each owner's come in their order.
 */
export function fairSemaphore({ slots, maxWaiting = Infinity, timesFree }: Options) {
  const taken = new FairShares(slots, timesFree);
  const waiting = new FairShares(maxWaiting, timesFree);
  const lines = new Map<string, Line>();

  function take(owner: readonly string[]): Disposable {
    taken.take(owner);
    let isTaken = true;
    return {
      [Symbol.dispose]: () => {
        if (!isTaken) return;
        isTaken = false;
        taken.giveBack(owner);
        moveToEnd(owner);
        handOver();
      },
    };
  }

  function handOver(): void {
    for (let line = nextLine(); line; line = nextLine()) {
      const [first] = line.waiting;
      first?.();
    }
  }

  /** Who has had a turn is the last whose turn comes again. */
  function moveToEnd(owner: readonly string[]): void {
    const line = lines.get(keyOf({ owner }));
    if (line && lines.delete(keyOf(line))) lines.set(keyOf(line), line);
  }

  /** The line of those who hold the fewest, as far as they may take one more. */
  function nextLine(): Line | undefined {
    let next: Line | undefined;
    for (const line of lines.values()) {
      if (!taken.mayTake(line.owner)) continue;
      if (!next || holdsFewer(line.owner, next.owner)) next = line;
    }
    return next;
  }

  function holdsFewer(one: readonly string[], other: readonly string[]): boolean {
    for (const level of one.keys()) {
      const held = taken.heldBy(one, level + 1);
      const heldByOther = taken.heldBy(other, level + 1);
      if (held !== heldByOther) return held < heldByOther;
    }
    return false;
  }

  async function waitInLine(owner: readonly string[], waitMs?: number) {
    const line = lines.get(keyOf({ owner })) ?? { owner, waiting: new Set() };
    lines.set(keyOf(line), line);
    waiting.take(owner);
    return await new Promise<Disposable | undefined>((resolve) => {
      const leave = (slot?: Disposable) => {
        clearTimeout(timer);
        line.waiting.delete(goOn);
        if (line.waiting.size === 0) lines.delete(keyOf(line));
        waiting.giveBack(owner);
        resolve(slot);
      };
      const goOn = () => leave(take(owner));
      const timer = waitMs === undefined ? undefined : setTimeout(leave, waitMs);
      line.waiting.add(goOn);
    });
  }

  return {
    waitingCount: (): number => waiting.heldBy(),
    /**
     * Takes a slot, to be disposed of. Where none is free for this owner it waits in line; undefined where none came
     * free within `waitMs`, or too many wait.
     */
    acquire: async (owner: readonly string[], waitMs?: number): Promise<Disposable | undefined> => {
      // Who waits may take none at present: nobody is passed by.
      if (taken.mayTake(owner)) return take(owner);
      return waiting.mayTake(owner) ? await waitInLine(owner, waitMs) : undefined;
    },
  };
}

function keyOf({ owner }: Pick<Line, "owner">): string {
  return owner.join("\n");
}
