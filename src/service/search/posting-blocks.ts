// A posting list is the sorted keys of the payments that have a term. A segment has one list of all rare terms, each
// with its keys, and one list of each common term. Lists are cut into blocks, which fit a page of the database.

/** The list of the rare terms. */
export const rareTerms = -1;

/** Below 2 KiB, from which on PostgreSQL moves values out of the row. */
const maxBlockBytes = 1_800;

/** A term with more keys has a list of its own. */
const maxRareKeys = 128;

/** Of an integer of 53 bits. */
const maxVarintBytes = 8;

export type Block = { list: number; start: number; data: Uint8Array };

/** Some keys of a term, in order; `hasMore`: others follow. */
export type Posting = { hash: number; keys: number[]; hasMore: boolean };

/** Gathers postings, in the order of their hashes and keys, into blocks. */
export function createBlockWriter(write: (block: Block) => void) {
  const rare = createBlock(rareTerms, write);
  let lastHash = 0;
  let common: { list: ReturnType<typeof createBlock>; last: number } | undefined;
  let pending: number[] = [];

  function addRare(hash: number): void {
    const [first = 0] = pending;
    // Where the next term may not fit, it begins a block.
    if (rare.size() + maxVarintBytes * (pending.length + 3) > maxBlockBytes) rare.end();
    if (rare.size() === 0) {
      rare.begin(hash);
      lastHash = hash;
    }
    rare.add(hash - lastHash);
    rare.add(pending.length);
    rare.add(first);
    for (let at = 1; at < pending.length; at++)
      rare.add((pending[at] ?? 0) - (pending[at - 1] ?? 0));
    lastHash = hash;
  }

  function addCommon(hash: number, keys: number[]): void {
    common ??= { list: createBlock(hash, write), last: 0 };
    for (const key of keys) {
      if (common.list.size() + maxVarintBytes > maxBlockBytes) common.list.end();
      if (common.list.size() === 0) {
        common.list.begin(key);
        common.last = key;
      }
      common.list.add(key - common.last);
      common.last = key;
    }
  }

  return {
    add: ({ hash, keys, hasMore }: Posting): void => {
      if (!common) {
        pending = pending.length === 0 ? keys : pending.concat(keys);
        if (pending.length <= maxRareKeys) {
          if (hasMore) return;
          addRare(hash);
          pending = [];
          return;
        }
      }
      addCommon(hash, common ? keys : pending);
      pending = [];
      if (hasMore) return;
      common?.list.end();
      common = undefined;
    },
    end: (): void => rare.end(),
  };
}

function createBlock(list: number, write: (block: Block) => void) {
  const bytes = new Uint8Array(maxBlockBytes);
  let size = 0;
  let start = 0;
  return {
    size: () => size,
    begin: (first: number): void => {
      start = first;
    },
    /** Adds an integer in groups of seven bits, the lowest first. */
    add: (value: number): void => {
      let left = value;
      while (left > 127) {
        const rest = Math.floor(left / 128);
        bytes[size++] = left - rest * 128 + 128; // a remainder of large numbers is slow
        left = rest;
      }
      bytes[size++] = left;
    },
    end: (): void => {
      if (size > 0) write({ list, start, data: bytes.slice(0, size) });
      size = 0;
    },
  };
}

/** Reads the integers of a block one after the other. */
function createReader(data: Uint8Array) {
  let at = 0;
  return {
    hasMore: () => at < data.length,
    next: (): number => {
      let byte = data[at++] ?? 0;
      if (byte < 128) return byte;
      let value = 0;
      let factor = 1;
      for (; byte >= 128; factor *= 128) {
        value += (byte - 128) * factor;
        byte = data[at++] ?? 0;
      }
      return value + byte * factor;
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
  for (const { start, data } of blocks) {
    let key = start;
    for (let at = 0; at < data.length;) {
      let byte = data[at++] ?? 0;
      let delta = byte & 127;
      for (let factor = 128; byte >= 128; factor *= 128) {
        byte = data[at++] ?? 0;
        delta += (byte & 127) * factor;
      }
      keys[count++] = key += delta;
    }
  }
  return keys;
}

/** Each ends with the one byte that is below 128. */
function countIntegers(data: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < data.length; at++) if ((data[at] ?? 0) < 128) count++;
  return count;
}

/** The postings in a block of the rare terms. */
export function readRareTerms({ start, data }: Block): Posting[] {
  const reader = createReader(data);
  const postings: Posting[] = [];
  let hash = start;
  while (reader.hasMore()) {
    hash += reader.next();
    const count = reader.next();
    let key = reader.next();
    const keys = [key];
    for (let i = 1; i < count; i++) keys.push((key += reader.next()));
    postings.push({ hash, keys, hasMore: false });
  }
  return postings;
}
