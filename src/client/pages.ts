import { maxPageSize, type ListPaymentsQuery, type PaymentList } from "../contract/list.ts";

/**
 * Page after page, from `query` on. `has_more` alone decides whether there is another one
 * (specification: list payments, rule 5), but a page without any payment has no cursor to go on from.
 */
export async function* pages(
  query: ListPaymentsQuery,
  list: (query: ListPaymentsQuery) => Promise<PaymentList>,
): AsyncGenerator<PaymentList> {
  const backward = query.ending_before !== undefined;
  let next: ListPaymentsQuery = { limit: maxPageSize, ...query };
  for (;;) {
    const page = await list(next);
    yield page;
    const cursor = (backward ? page.data.at(0) : page.data.at(-1))?.id;
    if (!page.has_more || cursor === undefined) return;
    next = backward ? { ...next, ending_before: cursor } : { ...next, starting_after: cursor };
  }
}

/**
 * Up to `limit` payments as one list, newest first in both directions, with the last page's
 * `has_more`: several requests beyond 100.
 */
export async function collect(
  query: ListPaymentsQuery,
  limit: number,
  list: (query: ListPaymentsQuery) => Promise<PaymentList>,
): Promise<PaymentList> {
  const backward = query.ending_before !== undefined;
  let left = limit;
  const found: PaymentList[] = [];
  const sized = async (asked: ListPaymentsQuery) =>
    list({ ...asked, limit: Math.min(left, maxPageSize) });
  for await (const page of pages(query, sized)) {
    left -= page.data.length;
    found.push(page);
    if (left <= 0) break;
  }
  const last = found.at(-1) ?? { object: "list", url: "/v1/payments", data: [], has_more: false };
  const newestFirst = backward ? found.toReversed() : found;
  return { ...last, data: newestFirst.flatMap(({ data }) => data) };
}
