import type { Payment } from "../../contract/payment.ts";
import { type Driver, readOne } from "../database/driver.ts";
import type { Scope } from "../database/scope.ts";
import { listTermHashes } from "./payment-terms.ts";
import {
  type Block,
  type Posting,
  createBlockWriter,
  maxBlockBytes,
  openRareTerms,
  rareTerms,
  readBlock,
} from "./posting-blocks.ts";
import { countBelow, hashBits, toKey } from "./search-keys.ts";
import {
  type Segment,
  type SegmentBlock,
  selectNextBlocks,
  selectNextLists,
} from "./search-sql.ts";

/** Few enough that a read is short. */
const blocksAtOnce = 64;
/** Half a MiB: few enough that other writers do not wait long, and so many that they rarely wait. */
const blocksPerWrite = 256;

/** Merges the postings of segments; `write` gets the blocks of the new one, in order, some at a time. */
export async function mergePostings(
  driver: Driver,
  scope: Scope,
  segments: number[],
  write: (blocks: Block[]) => Promise<void>,
): Promise<void> {
  let blocks: Block[] = [];
  const writer = createBlockWriter((block) => blocks.push(block));
  const inputs = segments.map((segment) => openPostings(driver, scope, segment));
  await Promise.all(inputs.map(async (input) => input.read()));
  for (let first = findFirst(inputs); first; first = findFirst(inputs)) {
    writer.add(takeKeys(first, inputs));
    // Of the millions of postings few wait for the database.
    if (first.head.from === first.head.to && !first.step()) await first.read();
    if (blocks.length < blocksPerWrite) continue;
    await write(blocks);
    blocks = [];
  }
  writer.end();
  await write(blocks);
}

type Input = ReturnType<typeof openPostings>;

/** The input with the first key of the first term; undefined where all have ended. */
function findFirst(inputs: Input[]): Input | undefined {
  let first: Input | undefined;
  for (const input of inputs) {
    const { hash } = input.head;
    if (hash > (first?.head.hash ?? maxHash)) continue;
    if (!first || hash < first.head.hash || firstKey(input) < firstKey(first)) first = input;
  }
  return first;
}

function firstKey({ head: { keys, from } }: Input): number {
  return keys[from] ?? 0;
}

/** Takes the keys of the first input up to the next one of another input with the same term. */
function takeKeys(first: Input, inputs: Input[]): Posting {
  const { head } = first;
  let next = Infinity;
  for (const other of inputs) {
    if (other !== first && other.head.hash === head.hash) next = Math.min(next, firstKey(other));
  }
  const { hash, keys, from, to: end } = head;
  const isWhole = (keys[end - 1] ?? 0) <= next;
  const to = isWhole ? end : from + countBelow(keys.subarray(from, end), next + 1);
  head.from = to;
  return { hash, keys, from, to, hasMore: next !== Infinity || !isWhole || head.hasMore };
}

/** Reads the postings of a segment in the order of their hashes: the keys of `head` are the next to be taken. */
function openPostings(driver: Driver, scope: Scope, segment: number) {
  const readList = async (list: number, at: number) => {
    const direction = { limit: blocksAtOnce, isForward: false };
    const next = selectNextBlocks(scope, { segment, list, at }, direction);
    return await readOne(driver, next, scope.accountId);
  };
  const rareBlocks = openBlocks(async (last) => readList(rareTerms, last?.start ?? -1));
  const commonBlocks = openBlocks(async (last) => {
    const ofList = last ? await readList(last.list, last.start) : [];
    if (ofList.length > 0) return ofList;
    const next = selectNextLists(scope, { segment, list: last?.list ?? rareTerms }, blocksAtOnce);
    return await readOne(driver, next, scope.accountId);
  });
  const keys = new Float64Array(maxBlockBytes);
  const head: Posting = { hash: 0, keys, from: 0, to: 0, hasMore: false };
  /** Its term is the next rare one, unless that was taken. */
  let rare: ReturnType<typeof openRareTerms> | undefined;
  let isRareTaken = true;

  /** Moves on to the next rare term, if there is one; false where more has to be read first. */
  function stepRare(): boolean {
    while (!rare?.moveOn()) {
      rare = undefined;
      if (rareBlocks.hasEnded()) return true;
      const block = rareBlocks.take();
      if (!block) return false;
      rare = openRareTerms(block);
    }
    return true;
  }

  /** Moves the head on within what has been read; false where more has to be read first. */
  function step(): boolean {
    if (isRareTaken && !stepRare()) return false;
    isRareTaken = false;
    // The next block says whether the list goes on.
    if (!commonBlocks.isReadTo(2)) return false;
    const common = commonBlocks.peek();
    head.from = 0;
    if (rare && (!common || rare.hash < common.list)) {
      head.hash = rare.hash;
      head.to = rare.readKeys(keys);
      head.hasMore = false;
      isRareTaken = true;
    } else if (common) {
      commonBlocks.take();
      head.hash = common.list;
      head.to = readBlock(common, keys);
      head.hasMore = commonBlocks.peek()?.list === common.list;
    } else head.hash = Infinity;
    return true;
  }

  return {
    head,
    step,
    read: async (): Promise<void> => {
      do await Promise.all([rareBlocks.read(), commonBlocks.read()]);
      while (!step());
    },
  };
}

/** Reads blocks one after the other, some at a time, and keeps at least two ahead. */
function openBlocks(read: (last: SegmentBlock | undefined) => Promise<SegmentBlock[]>) {
  let blocks: SegmentBlock[] = [];
  let at = 0;
  let isAllRead = false;
  return {
    hasEnded: () => isAllRead && at === blocks.length,
    isReadTo: (count: number) => isAllRead || blocks.length - at >= count,
    peek: () => blocks[at],
    take: () => blocks[at++],
    read: async (): Promise<void> => {
      if (isAllRead || blocks.length - at >= 2) return;
      const next = await read(blocks.at(-1));
      blocks = [...blocks.slice(at), ...next];
      at = 0;
      isAllRead = next.length === 0;
    },
  };
}

/** Above every hash of a term, and below that of an input that has ended. */
const maxHash = 2 ** hashBits;

/** A term's hash and the number of its payment fit in one number of 53 bits, which sorts fast. */
const maxSegmentPayments = 2 ** (53 - hashBits);

/** Builds a segment of up to `maxSegmentPayments` payments, with its blocks in the order of their keys. */
export function createSegmentBuilder() {
  const keys: number[] = [];
  let postings = new Float64Array(maxSegmentPayments);
  let count = 0;
  return {
    add: (payment: Payment): void => {
      const hashes = listTermHashes(payment);
      if (count + hashes.length > postings.length) {
        const larger = new Float64Array(2 * (count + hashes.length));
        larger.set(postings);
        postings = larger;
      }
      for (const hash of hashes) postings[count++] = hash * maxSegmentPayments + keys.length;
      keys.push(toKey(payment.id));
    },
    build: (): Omit<Segment, "segment"> & { blocks: Block[] } => {
      const low = keys.reduce((least, key) => Math.min(least, key), Infinity);
      const high = keys.reduce((greatest, key) => Math.max(greatest, key), 0);
      const blocks = toBlocks(postings.subarray(0, count).toSorted(), keys);
      return { payments: keys.length, low, high, blocks };
    },
  };
}

/** The blocks of sorted postings, each a term's hash with the number of its payment. */
function toBlocks(sorted: Float64Array, keys: number[]): Block[] {
  const blocks: Block[] = [];
  const writer = createBlockWriter((block) => blocks.push(block));
  const ofTerm = new Float64Array(sorted.length);
  for (let at = 0; at < sorted.length;) {
    const hash = Math.floor((sorted[at] ?? 0) / maxSegmentPayments);
    const first = hash * maxSegmentPayments;
    let to = 0;
    let isAscending = true;
    for (; at < sorted.length && (sorted[at] ?? 0) < first + maxSegmentPayments; at++) {
      const key = keys[(sorted[at] ?? 0) - first] ?? 0;
      isAscending &&= to === 0 || key > (ofTerm[to - 1] ?? 0);
      ofTerm[to++] = key;
    }
    if (!isAscending) ofTerm.subarray(0, to).sort();
    writer.add({ hash, keys: ofTerm, from: 0, to, hasMore: false });
  }
  writer.end();
  return blocks;
}
