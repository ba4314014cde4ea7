import { maxPageBytes, maxPaymentBytes } from "../../contract/page-limits.ts";
import type { Listed, Range } from "../domain/list-range.ts";
import type { Scope } from "../ports/idempotency-record.ts";
import {
  query,
  createStatement,
  type Row,
  type Statement,
  type Value,
  type Transaction,
} from "./driver.ts";
import { whereScope } from "./sql/scope-sql.ts";

/**
 * What is listed by `id`, and what one of its rows is; `payment` is where a payment is kept in it. `from` is a
 * table, or says where a range is read: of the account and mode in the first two parameters, between the ids in
 * the next two, as many as the fifth says, with the filters' values after that.
 */
export type ListedTable<Item> = {
  from: string | ((range: Range, filters: GivenFilters) => string);
  columns: string;
  itemOf: (row: never, scope: Scope) => Item;
  payment?: string;
};

/** Columns that a list is narrowed by; none where the value is undefined. An index begins with each. */
export type Filters = Record<string, string | undefined>;
type GivenFilters = Record<string, string>;

/**
 * A part of a list: a range of one index, whatever the filter. It ends where `limit` are there, or where the
 * next one would make it too large.
 */
export function* createListing<Item>(
  table: ListedTable<Item>,
  scope: Scope,
  range: Range,
  filters: Filters = {},
): Transaction<Listed<Item>> {
  const isLarge =
    mayBeTooLarge(table, range) && (yield* query(isTooLarge(table, scope, range, filters)));
  const beyond = isLarge
    ? yield* query(selectFirstBeyond(table, scope, range, filters))
    : undefined;
  const isForward = range.direction === "forward";
  const within = beyond === undefined ? {} : isForward ? { above: beyond } : { below: beyond };
  const next = { ...range, ...within, limit: range.limit + 1 };
  const page = toPage(yield* query(selectRange(table, scope, next, filters)), range);
  return { ...page, hasMore: page.hasMore || beyond !== undefined };
}

/** A page of a range, of which one row more than asked for was read: that tells whether there are more. */
export function toPage<Item>(rows: Item[], { direction, limit }: Range): Listed<Item> {
  const items = rows.slice(0, limit);
  return {
    items: direction === "forward" ? items : items.toReversed(),
    hasMore: rows.length > limit,
  };
}

/** Up to `limit` rows in the direction of travel. */
export function selectRange<Item>(
  table: ListedTable<Item>,
  scope: Scope,
  range: Range,
  filters: Filters = {},
): Statement<Item[]> {
  return createStatement(
    `SELECT ${table.columns} ${fromRange(table, range, filters)}`,
    paramsOf(scope, range, filters),
    (rows: Row[]) => rows.map((row) => table.itemOf(row as never, scope)),
  );
}

/** Whether so many payments may be too much for a page: then it is measured before it is read. */
function mayBeTooLarge({ payment }: ListedTable<unknown>, { limit }: Range): boolean {
  return payment !== undefined && limit * maxPaymentBytes > maxPageBytes;
}

function isTooLarge(
  table: ListedTable<unknown>,
  scope: Scope,
  range: Range,
  filters: Filters,
): Statement<boolean> {
  return createStatement(
    `SELECT SUM(bytes) AS bytes FROM (SELECT octet_length(${table.payment}) AS bytes ${fromRange(table, range, filters)}) AS found`,
    paramsOf(scope, range, filters),
    ([row]: { bytes: number | null }[]) => (row?.bytes ?? 0) > maxPageBytes,
  );
}

/** The first row with which a page is too large. */
function selectFirstBeyond(
  table: ListedTable<unknown>,
  scope: Scope,
  range: Range,
  filters: Filters,
): Statement<string | undefined> {
  return createStatement(
    `SELECT id, octet_length(${table.payment}) AS bytes ${fromRange(table, range, filters)}`,
    paramsOf(scope, range, filters),
    (rows: { id: string; bytes: number }[]) => {
      let sum = 0;
      return rows.find(({ bytes }) => (sum += bytes) > maxPageBytes)?.id;
    },
  );
}

function fromRange({ from }: ListedTable<unknown>, range: Range, filters: Filters): string {
  const narrowed = given(filters);
  if (typeof from !== "string") return from(range, narrowed);
  const conditions = Object.keys(narrowed).map((column, index) => `AND ${column} = $${6 + index}`);
  return `FROM ${from}
     WHERE account_id = $1 AND livemode = $2 AND id < $3 AND id > $4 ${conditions.join(" ")}
     ORDER BY id ${range.direction === "forward" ? "DESC" : "ASC"} LIMIT $5`;
}

function paramsOf(scope: Scope, { below, above, limit }: Range, filters: Filters): Value[] {
  const values = Object.values(given(filters));
  return [...whereScope(scope), below, above, limit, ...values];
}

function given(filters: Filters): GivenFilters {
  const pairs = Object.entries(filters);
  return Object.fromEntries(
    pairs.filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
}
