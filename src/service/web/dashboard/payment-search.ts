import { listPaymentsQuery } from "../../../contract/list-object.ts";
import { paymentIdPattern } from "../../../contract/payment-values.ts";
import type { Payment } from "../../../contract/payment.ts";
import { maxPageSize } from "../../../contract/routes.ts";
import { parseSearch } from "../../../contract/typed-search.ts";
import type { Listed } from "../../domain/list-range.ts";
import { ServiceError } from "../../domain/service-error.ts";
import { validate } from "../../input/validate.ts";
import type { Scope } from "../../ports/idempotency-record.ts";
import type { Service } from "../../use-cases/service.ts";
import { toListQuery, type Filter } from "./list-filters.ts";
import type { ListPage } from "./list-page.ts";
import { paymentList } from "./payment-filters.ts";

type Selection = {
  cursors: { starting_after?: string; ending_before?: string };
  filters: Filter[];
  pageSize?: number;
};

/** A page of the payments that have all of the filters, which are without mistakes. */
export async function listPayments(
  service: Service,
  scope: Scope,
  { cursors, filters, pageSize = maxPageSize }: Selection,
): Promise<Listed<Payment>> {
  const query = validate(listPaymentsQuery, { ...cursors, ...toListQuery(paymentList, filters) });
  const { items, hasMore } = await service.listPayments(scope, { ...query, limit: pageSize });
  return { items: items.map((item) => JSON.parse(item) as Payment), hasMore };
}

/** The id that is searched for, if nothing else is. */
export function findWholeId(filters: readonly Filter[]): string | undefined {
  const search = filters.find(({ name }) => name === "search")?.value ?? "";
  const [{ word } = { word: "" }, ...others] = parseSearch(search)?.words ?? [];
  return others.length === 0 && paymentIdPattern.test(word) ? word : undefined;
}

/** One payment alone has the words: it opens at once. With other filters the operator asked for a list. */
export function isSingleHit(
  { items, hasNewer, hasOlder }: ListPage<Payment>,
  filters: Filter[],
): boolean {
  const isSearchAlone = filters.length === 1 && filters[0]?.name === "search";
  return isSearchAlone && items.length === 1 && !hasNewer && !hasOlder;
}

/** Filters that need no index of what payments are searched by. */
export const unindexed = new Set(["status", "from", "to"]);

/** Whether a search reaches into payments that have no index yet, after an upgrade. The list alone needs none. */
export function isNotSearchable(error: unknown, filters: readonly Filter[]): error is ServiceError {
  return (
    error instanceof ServiceError &&
    error.code === "service_unavailable" &&
    filters.some(({ name }) => !unindexed.has(name))
  );
}
