// A posting list is the sorted keys of the payments that have a term. A segment has one list of all rare terms, each
// with its keys, and one list of each common term. Lists are cut into blocks, which fit a page of the database.

/** The list of the rare terms. */
export const rareTerms = -1;

/** Below 2 KiB, from which on PostgreSQL moves values out of the row. */
export const maxBlockBytes = 1_800;

/** A term with more keys has a list of its own. */
export const maxRareKeys = 128;

/** Of an integer of 53 bits. */
const maxVarintBytes = 8;

/** Up to it integers are computed fast. */
const maxInt = 2 ** 31 - 1;

export type Block = { list: number; start: number; data: Uint8Array };

/**
 * Some keys of a term, in order: those of an array from one place to another. `hasMore`: others follow. There are
 * millions of postings, so that each fills the same array again, and nothing is made for one.
 */
export type Posting = {
  hash: number;
  keys: Float64Array;
  from: number;
  to: number;
  hasMore: boolean;
};

/** Gathers postings, in the order of their hashes and keys, into blocks; a key that comes twice is taken once. */
export function createBlockWriter(write: (block: Block) => void) {
  const rare = createBlock(write);
  const common = createBlock(write);
  /** The first keys of a term; `count` of them, or more where it is a common one. */
  const first = new Float64Array(maxRareKeys);
  let count = 0;
  let lastKey = -1;
  let lastHash = 0;

  function addRare(hash: number): void {
    // Where the next term may not fit, it begins a block.
    if (rare.size() + maxVarintBytes * (count + 3) > maxBlockBytes) rare.end();
    if (rare.size() === 0) {
      rare.begin(rareTerms, hash);
      lastHash = hash;
    }
    rare.add(hash - lastHash);
    rare.add(count);
    for (let at = 0, last = 0; at < count; at++) {
      const key = first[at] ?? 0;
      rare.add(key - last);
      last = key;
    }
    lastHash = hash;
  }

  function addCommon(hash: number, key: number, last: number): void {
    if (common.size() + maxVarintBytes > maxBlockBytes) common.end();
    const isFirst = common.size() === 0;
    if (isFirst) common.begin(hash, key);
    common.add(isFirst ? 0 : key - last);
  }

  return {
    add: ({ hash, keys, from, to, hasMore }: Posting): void => {
      for (let at = from; at < to; at++) {
        const key = keys[at] ?? 0;
        if (key === lastKey) continue;
        if (count < maxRareKeys) first[count] = key;
        else {
          if (count === maxRareKeys) {
            for (let early = 0; early < count; early++)
              addCommon(hash, first[early] ?? 0, first[early - 1] ?? 0);
          }
          addCommon(hash, key, lastKey);
        }
        lastKey = key;
        count++;
      }
      if (hasMore) return;
      if (count > maxRareKeys) common.end();
      else addRare(hash);
      count = 0;
      lastKey = -1;
    },
    end: (): void => rare.end(),
  };
}

function createBlock(write: (block: Block) => void) {
  const bytes = new Uint8Array(maxBlockBytes);
  let list = rareTerms;
  let size = 0;
  let start = 0;
  return {
    size: () => size,
    begin: (ofList: number, first: number): void => {
      list = ofList;
      start = first;
    },
    /** Adds an integer in groups of seven bits, the lowest first. */
    add: (value: number): void => {
      let left = value;
      while (left > maxInt) {
        const rest = Math.floor(left / 128);
        bytes[size++] = left - rest * 128 + 128; // a remainder of large numbers is slow
        left = rest;
      }
      for (; left > 127; left >>>= 7) bytes[size++] = (left & 127) + 128;
      bytes[size++] = left;
    },
    end: (): void => {
      if (size > 0) write({ list, start, data: bytes.slice(0, size) });
      size = 0;
    },
  };
}

/**
 * The keys in consecutive blocks of a common term's list, ascending. Two common words together have millions: nothing
 * is called for each here, and nothing grows.
 */
export function readKeys(blocks: readonly Block[]): Float64Array {
  const keys = new Float64Array(blocks.reduce((sum, { data }) => sum + countIntegers(data), 0));
  let count = 0;
  for (const block of blocks) count = readBlock(block, keys, count);
  return keys;
}

/** Reads the keys of a block of a common term's list into an array from a place on; returns where they end. */
export function readBlock({ start, data }: Block, keys: Float64Array, from = 0): number {
  let key = start;
  let to = from;
  for (let at = 0; at < data.length;) {
    let byte = data[at++] ?? 0;
    let delta = byte & 127;
    for (let factor = 128; byte >= 128; factor *= 128) {
      byte = data[at++] ?? 0;
      delta += (byte & 127) * factor;
    }
    keys[to++] = key += delta;
  }
  return to;
}

/** Each ends with the one byte that is below 128. */
function countIntegers(data: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < data.length; at++) if ((data[at] ?? 0) < 128) count++;
  return count;
}

/** Reads the terms in a block of the rare ones, one after the other. */
export function openRareTerms({ start, data }: Block) {
  let at = 0;
  function next(): number {
    let byte = data[at++] ?? 0;
    let value = byte & 127;
    for (let factor = 128; byte >= 128; factor *= 128) {
      byte = data[at++] ?? 0;
      value += (byte & 127) * factor;
    }
    return value;
  }
  const terms = {
    hash: start,
    /** Moves on to the hash of the next term; false where there is none. */
    moveOn: (): boolean => {
      if (at === data.length) return false;
      terms.hash += next();
      return true;
    },
    /** Reads the keys of this term into an array, before it moves on; returns how many. */
    readKeys: (keys: Float64Array): number => {
      const count = next();
      for (let key = 0, to = 0; to < count; to++) keys[to] = key += next();
      return count;
    },
  };
  return terms;
}
