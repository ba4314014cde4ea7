import type { Payment } from "../../contract/payment.ts";
import { type Driver, readOne } from "../database/driver.ts";
import type { Scope } from "../database/scope.ts";
import { listTermHashes } from "./payment-search.ts";
import {
  type Block,
  type Posting,
  createBlockWriter,
  rareTerms,
  readKeys,
  readRareTerms,
} from "./posting-blocks.ts";
import { hashBits, sortUnique, toKey } from "./search-keys.ts";
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
  /** Of the millions of postings few wait for the database. */
  const behind: Input[] = [];
  for (;;) {
    const posting = takeFirst(inputs, behind);
    if (!posting) break;
    writer.add(posting);
    while (behind.length > 0) await behind.pop()?.read();
    if (blocks.length < blocksPerWrite) continue;
    await write(blocks);
    blocks = [];
  }
  writer.end();
  await write(blocks);
}

type Input = ReturnType<typeof openPostings>;

/** Takes the keys of the first term, undefined at the end. Inputs that have to read on are added to `behind`. */
function takeFirst(inputs: Input[], behind: Input[]): Posting | undefined {
  let first: Input | undefined;
  let hash = Infinity;
  let isAlone = true;
  for (const input of inputs) {
    const next = input.head?.hash ?? Infinity;
    if (next === hash) isAlone = false;
    if (next >= hash) continue;
    [first, hash, isAlone] = [input, next, true];
  }
  const posting = first?.head;
  if (!first || !posting) return undefined;
  if (!isAlone) return takeTogether(hash, inputs, behind);
  if (!first.step()) behind.push(first);
  return posting;
}

/** Takes the keys of a term that several inputs have, up to where one of them has to read on. */
function takeTogether(hash: number, inputs: Input[], behind: Input[]): Posting {
  const ofTerm = inputs.filter(({ head }) => head?.hash === hash);
  let end = Infinity;
  for (const { head } of ofTerm) if (head?.hasMore) end = Math.min(end, head.keys.at(-1) ?? 0);
  const parts: number[][] = [];
  for (const input of ofTerm) {
    const { head } = input;
    if (!head) continue;
    const count = (head.keys.at(-1) ?? 0) <= end ? -1 : head.keys.findIndex((key) => key > end);
    parts.push(count === -1 ? head.keys : head.keys.slice(0, count));
    if (count !== -1) head.keys = head.keys.slice(count);
    else if (!input.step()) behind.push(input);
  }
  return { hash, keys: sortUnique(parts.flat()), hasMore: end !== Infinity };
}

/** Reads the postings of a segment in the order of their hashes: `head` is the first that was not taken. */
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
  let rare: Posting[] = [];
  let rareAt = 0;
  let common: Posting | undefined;

  /** Moves the head on within what has been read; false where more has to be read first. */
  function step(): boolean {
    if (rareAt === rare.length && !rareBlocks.hasEnded()) {
      const block = rareBlocks.take();
      if (!block) return false;
      rare = readRareTerms(block);
      rareAt = 0;
    }
    if (!common && !commonBlocks.hasEnded()) {
      // The next block says whether the list goes on.
      if (!commonBlocks.isReadTo(2)) return false;
      const block = commonBlocks.take();
      if (block) {
        const hasMore = commonBlocks.peek()?.list === block.list;
        common = { hash: block.list, keys: Array.from(readKeys([block])), hasMore };
      }
    }
    const nextRare = rare[rareAt];
    if (nextRare && (!common || nextRare.hash < common.hash)) {
      input.head = nextRare;
      rareAt++;
    } else {
      input.head = common;
      common = undefined;
    }
    return true;
  }

  const input = {
    head: undefined as Posting | undefined,
    step,
    read: async (): Promise<void> => {
      do await Promise.all([rareBlocks.read(), commonBlocks.read()]);
      while (!step());
    },
  };
  return input;
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
  let ofTerm: number[] = [];
  let hash = -1;
  for (const posting of sorted) {
    const next = Math.floor(posting / maxSegmentPayments);
    const number = posting - next * maxSegmentPayments; // a remainder of such large numbers is slow
    if (next !== hash && ofTerm.length > 0) {
      writer.add({ hash, keys: sortUnique(ofTerm), hasMore: false });
      ofTerm = [];
    }
    hash = next;
    ofTerm.push(keys[number] ?? 0);
  }
  if (ofTerm.length > 0) writer.add({ hash, keys: sortUnique(ofTerm), hasMore: false });
  writer.end();
  return blocks;
}
