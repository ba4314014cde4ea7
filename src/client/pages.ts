import type { ListPaymentsQuery, PaymentList } from "../contract/list.ts";
import { maxPageSize } from "../contract/page-limits.ts";
import { UnexpectedAnswerError } from "./errors.ts";

/**
 * Page after page, from `query` on, until `total` payments are there. `has_more` alone decides whether
 * there is another page (specification: list payments, rule 5), but one without any payment has no
 * cursor to go on from.
 */
export async function* pages(
  query: ListPaymentsQuery,
  list: (query: ListPaymentsQuery) => Promise<PaymentList>,
  total = Number.POSITIVE_INFINITY,
): AsyncGenerator<PaymentList> {
  const backward = query.ending_before !== undefined;
  const { limit: pageSize = maxPageSize, ...filters } = query;
  let next: ListPaymentsQuery = filters;
  for (let left = total; left > 0;) {
    const page = await list({ limit: Math.min(left, pageSize), ...next });
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

/**
 * Pages as one list, newest first in both directions of travel, with the last page's `has_more`.
 * `seen` hears how many payments have arrived so far.
 */
export async function gathered(
  found: AsyncIterable<PaymentList>,
  options: { backward: boolean; seen?: (count: number) => void },
): Promise<PaymentList> {
  const all: PaymentList[] = [];
  let count = 0;
  for await (const page of found) {
    all.push(page);
    count += page.data.length;
    options.seen?.(count);
  }
  const last = all.at(-1) ?? { object: "list", url: "/v1/payments", data: [], has_more: false };
  const newestFirst = options.backward ? all.toReversed() : all;
  return { ...last, data: newestFirst.flatMap(({ data }) => data) };
}
