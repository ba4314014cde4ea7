import type { List, ListPart } from "../contract/list.ts";
import { maxPageSize } from "../contract/field-values.ts";
import { UnexpectedAnswerError } from "./errors.ts";
import { isAtLeast } from "../runtime/options.ts";
import {
  checkQuery,
  request,
  type CallOptions,
  type Connection,
  type Endpoint,
} from "./request.ts";

/** The query that every list takes: where to continue, and how much to return at once. */
export type PageQuery = {
  limit?: number | undefined;
  starting_after?: string | undefined;
  ending_before?: string | undefined;
};

/** The calls of a list, newest first. */
export function listCalls<Query extends PageQuery, Item extends { id: string }>(
  connection: Connection,
  endpoint: Endpoint,
  params?: { id: string },
) {
  const calls = {
    /** One page. */
    list: async (query: Query = {} as Query, options?: CallOptions) =>
      (await request(
        connection,
        endpoint,
        { query, ...(params && { params }) },
        options,
      )) as unknown as List<Item>,

    /**
     * Page after page from `query` on, up to `total` items: older ones, or with `ending_before` newer and newer ones.
     */
    pages: (query: Query = {} as Query, total?: number, options?: CallOptions) => {
      checkQuery(query);
      if (total !== undefined && !isAtLeast(0)(total)) {
        throw new TypeError("total must be a number of objects, 0 or more.");
      }
      return listPages(query, async (next) => calls.list(next, options), total);
    },

    /** Every item of those pages, in the order of travel. */
    all: async function* (query: Query = {} as Query, options?: CallOptions): AsyncGenerator<Item> {
      const pages = calls.pages(query, undefined, options);
      const backward = query.ending_before !== undefined;
      for await (const { data } of pages) {
        yield* backward ? data.toReversed() : data;
      }
    },
  };
  return calls;
}

/**
 * `has_more` alone decides whether there is another page (specification: list payments, rule 5), but an empty page has
 * no cursor to continue from.
 */
export async function* listPages<Query extends PageQuery, Page extends ListPart<{ id: string }>>(
  query: Query,
  list: (query: Query) => Promise<Page>,
  total = Number.POSITIVE_INFINITY,
): AsyncGenerator<Page> {
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
      throw new UnexpectedAnswerError(200, "The service returned the same page of the list again.");
    }
    next = backward ? { ...next, ending_before: cursor } : { ...next, starting_after: cursor };
  }
}

/**
 * Gathers pages into one list, newest first in both directions of travel, with the last page's `has_more`. `onPage`
 * gets the number of items so far.
 */
export async function gatherPages<Page extends ListPart<unknown>>(
  pages: AsyncIterable<Page>,
  options: { backward: boolean; onPage?: (count: number) => void },
): Promise<Page> {
  const all: Page[] = [];
  let count = 0;
  for await (const page of pages) {
    all.push(page);
    count += page.data.length;
    options.onPage?.(count);
  }
  const last = all.at(-1);
  if (!last) throw new RangeError("A list needs at least one page.");
  const newestFirst = options.backward ? all.toReversed() : all;
  return { ...last, data: newestFirst.flatMap(({ data }) => data) };
}
