/** By default one alone leaves a quarter to those who come after it. */
const defaultTimesFree = 3;

/** Whether an owner that holds so much may take more, while so much is free. */
export function isWithinShare(held: number, free: number, timesFree = defaultTimesFree): boolean {
  return held < timesFree * free;
}

/**
 * Counts what owners hold of something limited, and says who may take more. An owner is a path of keys, the widest
 * first: an account, then its endpoint. On each level an owner holds at most `timesFree` times what it leaves free: so
 * one alone leaves a part free, however much it asks for, and the more owners there are, the more equal their shares
 * become. An owner that holds nothing may take whatever is free.
 */
export class FairShares {
  readonly #total: number;
  readonly #timesFree: number;
  readonly #held = new Map<string, number>();

  constructor(total: number, timesFree = defaultTimesFree) {
    this.#total = total;
    this.#timesFree = timesFree;
  }

  /** What an owner holds, with all that are part of it, up to a level of its path; without keys, what all hold. */
  heldBy(owner: readonly string[] = [], level = owner.length): number {
    return this.#held.get(keyOf(owner, level)) ?? 0;
  }

  mayTake(owner: readonly string[]): boolean {
    let capacity = this.#total;
    if (this.heldBy() >= capacity) return false;
    for (const level of owner.keys()) {
      const free = capacity - this.heldBy(owner, level);
      const held = this.heldBy(owner, level + 1);
      if (!isWithinShare(held, free, this.#timesFree)) return false;
      capacity = Math.ceil((capacity * this.#timesFree) / (this.#timesFree + 1));
    }
    return true;
  }

  /** Counts one more for an owner, whether or not that is within its share. */
  take(owner: readonly string[]): void {
    this.#change(owner, 1);
  }

  giveBack(owner: readonly string[]): void {
    this.#change(owner, -1);
  }

  #change(owner: readonly string[], by: number): void {
    for (let level = 0; level <= owner.length; level++) {
      const key = keyOf(owner, level);
      const held = (this.#held.get(key) ?? 0) + by;
      if (held === 0) this.#held.delete(key);
      else this.#held.set(key, held);
    }
  }
}

/** Ids hold no line breaks. */
function keyOf(owner: readonly string[], level: number): string {
  const [first = ""] = owner;
  if (level < 2) return level === 0 ? "" : first; // which is asked for every request
  return owner.slice(0, level).join("\n");
}
