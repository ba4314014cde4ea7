import type { List } from "../contract/list-object.ts";
import { maxPageSize } from "../contract/page-limits.ts";
import { UnexpectedAnswerError } from "./errors.ts";

/** What every list can be asked: where to go on, and how much to give at once. */
export type PageQuery = {
  limit?: number | undefined;
  starting_after?: string | undefined;
  ending_before?: string | undefined;
};

/**
 * Page after page, from `query` on, until `total` of what is listed are there. `has_more` alone decides
 * whether there is another page (specification: list payments, rule 5), but an empty one has no cursor
 * to go on from.
 */
export async function* listPages<Query extends PageQuery, Item extends { id: string }>(
  query: Query,
  list: (query: Query) => Promise<List<Item>>,
  total = Number.POSITIVE_INFINITY,
): AsyncGenerator<List<Item>> {
  const backward = query.ending_before !== undefined;
  const { limit: pageSize = maxPageSize, ...filters } = query;
  let next: PageQuery = filters;
  for (let left = total; left > 0;) {
    const page = await list({ limit: Math.min(left, pageSize), ...next } as Query);
    yield page;
    left -= page.data.length;
    const cursor = (backward ? page.data.at(0) : page.data.at(-1))?.id;
    if (!page.has_more || cursor === undefined) return;
    if (cursor === next.ending_before || cursor === next.starting_after) {
      throw new UnexpectedAnswerError(200, "The service gave the same page of the list again.");
    }
    next = backward ? { ...next, ending_before: cursor } : { ...next, starting_after: cursor };
  }
}

/** Everything on those pages, in the order of travel. */
export async function* reverseIfBackward<Item>(
  lists: AsyncIterable<List<Item>>,
  { ending_before: end }: PageQuery,
): AsyncGenerator<Item> {
  for await (const { data } of lists) yield* end === undefined ? data : data.toReversed();
}

/**
 * Pages as one list, newest first in both directions of travel, with the last page's `has_more`.
 * `seen` hears how many have arrived so far.
 */
export async function gatherPages<Item>(
  found: AsyncIterable<List<Item>>,
  options: { backward: boolean; seen?: (count: number) => void },
): Promise<List<Item>> {
  const all: List<Item>[] = [];
  let count = 0;
  for await (const page of found) {
    all.push(page);
    count += page.data.length;
    options.seen?.(count);
  }
  const last = all.at(-1);
  if (!last) throw new RangeError("A list of nothing was asked for.");
  const newestFirst = options.backward ? all.toReversed() : all;
  return { ...last, data: newestFirst.flatMap(({ data }) => data) };
}
