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
