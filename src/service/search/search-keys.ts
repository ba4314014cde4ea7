// A key stands for a payment in the index: the time of its creation and the last three digits of its id, in 53 bits.
// Two payments have the same key only if they were created in the same millisecond, and then rarely. Keys are ordered
// by time.

const tails = 16 ** 3;

/** Keys count from the year 2000, and last until 2069. */
const firstMs = Date.UTC(2000);

const maxMs = 2 ** 41 - 1;

const maxKey = (maxMs + 1) * tails - 1;

export function toKey(paymentId: string): number {
  return toKeyMs(paymentId) * tails + parseInt(paymentId.slice(-3), 16);
}

/** The milliseconds in a key. Bounds of lists are ids too, or a part of one. */
function toKeyMs(id: string): number {
  const ms = parseInt(id.slice(4, 12) + id.slice(13, 17), 16);
  return Math.min(Math.max(ms - firstMs, 0), maxMs);
}

/** The keys of all ids between two bounds of a list. */
export function toKeyRange({ above, below }: { above: string; below: string }) {
  return {
    low: above === "" ? 0 : toKeyMs(above) * tails,
    high: below < "pay_g" ? toKeyMs(below) * tails + tails - 1 : maxKey,
  };
}

/** A bound after an id and before all that follow it: no id begins with another one. */
export function justAfter(id: string): string {
  return id === "" ? "" : `${id}-`;
}

/** Whether two keys are of the same millisecond. */
export function isSameMs(a: number, b: number): boolean {
  return Math.floor(a / tails) === Math.floor(b / tails);
}

/** The range of ids that have a key, and how they end. */
export function toIdRange(key: number): { low: string; high: string; tail: string } {
  const ms = Math.floor(key / tails);
  return {
    low: ms === 0 ? "" : toBound(ms),
    high: ms === maxMs ? "pay_g" : toBound(ms + 1),
    tail: (key % tails).toString(16).padStart(3, "0"),
  };
}

function toBound(ms: number): string {
  const hex = (ms + firstMs).toString(16).padStart(12, "0");
  return `pay_${hex.slice(0, 8)}-${hex.slice(8)}`;
}

export const hashBits = 38;

type HashState = { low: number; high: number };
const beginHash: HashState = { low: 0x811c9dc5, high: 0x2545f491 };

/** The hash of a text goes on with what follows it. */
export function addToHash({ low, high }: HashState, text: string): HashState {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code ^ (low >>> 15), 0x85ebca6b);
  }
  return { low, high };
}

/**
 * A term's hash of `hashBits` bits. Two terms with the same hash are told apart by the payments themselves. `beginning`:
 * of the term, what `createKind` has hashed.
 */
export function hashTerm(rest: string, beginning = beginHash): number {
  return endHash(addToHash(beginning, rest));
}

export function endHash({ low, high }: HashState): number {
  const upper = (high ^ (high >>> 16)) & (2 ** (hashBits - 32) - 1);
  return upper * 2 ** 32 + (low >>> 0);
}

/** The beginning of all terms of a kind, which is hashed once. */
export function createKind(kind: string): HashState {
  return addToHash(beginHash, `${kind} `);
}

// Keys of payments in ascending order. A search of common words compares millions: typed arrays are cut without a copy.

/** How many of some keys are below a bound. */
export function countBelow(keys: Float64Array, bound: number): number {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? 0) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The keys in a range, both ends included. */
export function cutKeys(
  keys: Float64Array,
  { low, high }: { low: number; high: number },
): Float64Array {
  return keys.subarray(countBelow(keys, low), countBelow(keys, high + 1));
}

/** The keys of several lists, each once. Those of segments mostly follow each other in time. */
export function joinKeys(lists: readonly Float64Array[]): Float64Array {
  const filled = lists.filter(({ length }) => length > 0);
  const [first = new Float64Array(), ...others] = filled;
  if (others.length === 0) return first;
  const joined = new Float64Array(filled.reduce((sum, { length }) => sum + length, 0));
  let length = 0;
  for (const keys of filled.toSorted((a, b) => (a[0] ?? 0) - (b[0] ?? 0))) {
    joined.set(keys, length);
    length += keys.length;
  }
  return isAscending(joined) ? joined : dropRepeated(joined.toSorted());
}

/** Marks those of some keys that others have too. */
export function markCommon(keys: Float64Array, others: Float64Array, marks: Uint8Array): void {
  let at = countBelow(keys, others[0] ?? 0);
  for (let other = 0; other < others.length && at < keys.length;) {
    const [key, next] = [keys[at] ?? 0, others[other] ?? 0];
    if (key === next) marks[at] = 1;
    if (key <= next) at++;
    else other++;
  }
}

/** The keys that were marked. Most are not, where two common words are looked for. */
export function takeMarked(keys: Float64Array, marks: Uint8Array): Float64Array {
  const taken: number[] = [];
  for (let at = marks.indexOf(1); at !== -1; at = marks.indexOf(1, at + 1)) {
    taken.push(keys[at] ?? 0);
  }
  return new Float64Array(taken);
}

/** Keys in order, each once. They mostly are. */
export function sortUnique(keys: number[]): number[] {
  return isAscending(keys) ? keys : [...dropRepeated(new Float64Array(keys).toSorted())];
}

function isAscending(keys: ArrayLike<number>): boolean {
  for (let at = 1; at < keys.length; at++) {
    if ((keys[at] ?? 0) <= (keys[at - 1] ?? 0)) return false;
  }
  return true;
}

function dropRepeated(keys: Float64Array): Float64Array {
  return keys.filter((key, at) => key !== keys[at - 1]);
}
