import type { Scope } from "../../ports/idempotency-record.ts";
import { readOne, type Driver } from "../driver.ts";
import { selectNextLists } from "../sql/search-index-sql.ts";
import { selectNextBlocks, type SegmentBlock } from "../sql/search-sql.ts";
import { sortUnique } from "./build-segment.ts";
import {
  createBlockWriter,
  rareTerms,
  readKeys,
  readRareTerms,
  type Block,
  type Posting,
} from "./posting-blocks.ts";

/** Few enough that a read and a write are short. */
const blocksAtOnce = 64;

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
  for (const input of inputs) await input.advance();
  for (;;) {
    const posting = await takeNext(inputs);
    if (!posting) break;
    writer.add(posting);
    if (blocks.length < blocksAtOnce) continue;
    await write(blocks);
    blocks = [];
  }
  writer.end();
  await write(blocks);
}

type Input = ReturnType<typeof openPostings>;

/** The next keys of the first term: of all inputs, up to where one of them has to read on. */
async function takeNext(inputs: Input[]): Promise<Posting | undefined> {
  const hash = Math.min(...inputs.map((input) => input.head()?.hash ?? Infinity));
  if (hash === Infinity) return undefined;
  const ofTerm = inputs.filter((input) => input.head()?.hash === hash);
  const ends = ofTerm.map((input) => input.head()).filter((head) => head?.hasMore);
  const end = Math.min(...ends.map((head) => head?.keys.at(-1) ?? Infinity));
  const keys: number[] = [];
  for (const input of ofTerm) {
    const head = input.head();
    if (!head) continue;
    const count = countUpTo(head.keys, end);
    keys.push(...head.keys.slice(0, count));
    if (count < head.keys.length) head.keys = head.keys.slice(count);
    else await input.advance();
  }
  const hasMore = inputs.some((input) => input.head()?.hash === hash);
  return { hash, keys: sortUnique(keys), hasMore };
}

function countUpTo(keys: number[], end: number): number {
  if ((keys.at(-1) ?? 0) <= end) return keys.length;
  const count = keys.findIndex((key) => key > end);
  return count === -1 ? keys.length : count;
}

/** Reads the postings of a segment in the order of their hashes. */
function openPostings(driver: Driver, scope: Scope, segment: number) {
  const readList = async (list: number, at: number) => {
    const direction = { limit: blocksAtOnce, isForward: false };
    const next = selectNextBlocks(scope, { segment, list, at }, direction);
    return await readOne(driver, next, scope.accountId);
  };
  const rare = openBlocks(async (last) => readList(rareTerms, last?.start ?? -1));
  const lists = openBlocks(async (last) => {
    const ofList = last ? await readList(last.list, last.start) : [];
    if (ofList.length > 0) return ofList;
    const next = selectNextLists(scope, { segment, list: last?.list ?? rareTerms }, blocksAtOnce);
    return await readOne(driver, next, scope.accountId);
  });
  let rarePostings: Posting[] = [];
  let rareAt = 0;
  let common: Posting | undefined;
  let head: Posting | undefined;

  async function peekRare(): Promise<Posting | undefined> {
    if (rareAt >= rarePostings.length) {
      const block = await rare.next();
      rarePostings = block ? [...readRareTerms(block)] : [];
      rareAt = 0;
    }
    return rarePostings[rareAt];
  }

  async function peekCommon(): Promise<Posting | undefined> {
    if (common) return common;
    const block = await lists.next();
    if (!block) return undefined;
    const following = await lists.peek();
    common = { hash: block.list, keys: readKeys(block), hasMore: following?.list === block.list };
    return common;
  }

  return {
    head: () => head,
    advance: async (): Promise<void> => {
      const [nextRare, nextCommon] = [await peekRare(), await peekCommon()];
      const isRare = nextRare && (!nextCommon || nextRare.hash < nextCommon.hash);
      head = isRare ? nextRare : nextCommon;
      if (isRare) rareAt++;
      else common = undefined;
    },
  };
}

/** Reads blocks one after the other, some at a time. */
function openBlocks(read: (last: SegmentBlock | undefined) => Promise<SegmentBlock[]>) {
  let blocks: SegmentBlock[] = [];
  let at = 0;
  let last: SegmentBlock | undefined;
  let hasEnded = false;
  async function peek(): Promise<SegmentBlock | undefined> {
    if (at >= blocks.length && !hasEnded) {
      blocks = await read(last);
      at = 0;
      last = blocks.at(-1);
      hasEnded = blocks.length === 0;
    }
    return blocks[at];
  }
  return {
    peek,
    next: async (): Promise<SegmentBlock | undefined> => {
      const block = await peek();
      at++;
      return block;
    },
  };
}
