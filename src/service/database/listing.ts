import { maxPageBytes, maxPaymentBytes, type Listed, type Range } from "./list-range.ts";
import { type Scope, whereScope } from "./scope.ts";
import {
  createStatement,
  query,
  type Row,
  type Statement,
  type Transaction,
  type Value,
} from "./driver.ts";

/** The owner of a list: an account and mode, or an account alone. */
type Owner = Scope | { accountId: string };

/**
 * A table that is listed by `id`. `from` is its name, or builds the FROM of a range; the parameters are then the
 * account and mode, the two bounds, the limit, and the filters' values. `payment` is the column that holds a payment,
 * which makes rows large.
 */
export type ListedTable<Item> = {
  from: string | ((range: Range, filters: ActiveFilters) => string);
  columns: string;
  readItem: (row: never, owner: Scope) => Item;
  payment?: string;
};

/** The columns that a list is filtered by, with an index where many rows are listed; undefined leaves one out. */
export type Filters = Record<string, string | undefined>;
type ActiveFilters = Record<string, string>;

/**
 * Reads a page of a list: a range of one index, whatever the filter. It ends after `limit` items, or where the next
 * item would make it too large.
 */
export function* readPage<Item>(
  table: ListedTable<Item>,
  owner: Owner,
  range: Range,
  filters: Filters = {},
): Transaction<Listed<Item>> {
  const { direction, limit } = range;
  const isForward = direction === "forward";
  const beyond = yield* findFirstBeyond(table, owner, range, filters);
  const within = beyond === undefined ? {} : isForward ? { above: beyond } : { below: beyond };
  const found = yield* query(
    selectRange(table, owner, { ...range, ...within, limit: limit + 1 }, filters),
  );
  const items = found.slice(0, limit);
  return {
    items: isForward ? items : items.toReversed(),
    hasMore: found.length > limit || beyond !== undefined,
  };
}

/** Up to `limit` rows in the direction of the request. */
export function selectRange<Item>(
  table: ListedTable<Item>,
  owner: Owner,
  range: Range,
  filters: Filters = {},
): Statement<Item[]> {
  const itemOwner = { livemode: false, ...owner };
  const read = (rows: Row[]) => rows.map((row) => table.readItem(row as never, itemOwner));
  return selectFromRange(table.columns, { table, owner, range, filters }, read);
}

/**
 * The first row with which a page is too large. The sum of the sizes is queried only where `limit` payments may be
 * too large, and each size only where the sum is.
 */
function* findFirstBeyond(
  table: ListedTable<unknown>,
  owner: Owner,
  range: Range,
  filters: Filters,
): Transaction<string | undefined> {
  const { payment } = table;
  if (payment === undefined || range.limit * maxPaymentBytes <= maxPageBytes) return undefined;
  const list = { table, owner, range, filters };
  const size = `octet_length(${payment}) AS bytes`;
  const sizes = selectFromRange(size, list, () => 0);
  const total: Statement<number> = {
    sql: `SELECT SUM(bytes) AS bytes FROM (${sizes.sql}) AS found`,
    params: sizes.params,
    read: ([row]) => Number(row?.["bytes"] ?? 0),
  };
  if ((yield* query(total)) <= maxPageBytes) return undefined;
  let sum = 0;
  const findBeyond = (rows: { id: string; bytes: number }[]) =>
    rows.find(({ bytes }) => (sum += bytes) > maxPageBytes)?.id;
  return yield* query(selectFromRange(`id, ${size}`, list, findBeyond));
}

type List = { table: ListedTable<unknown>; owner: Owner; range: Range; filters: Filters };

function selectFromRange<T>(
  columns: string,
  { table: { from }, owner, range, filters }: List,
  read: (rows: never[]) => T,
): Statement<T> {
  const entries = Object.entries(filters);
  const active = entries.filter((entry): entry is [string, string] => entry[1] !== undefined);
  const { below, above, limit, direction } = range;
  const values: Value[] = "livemode" in owner ? whereScope(owner) : [owner.accountId];
  const params = [...values, below, above, limit, ...active.map(([, value]) => value)];
  if (typeof from !== "string") {
    return createStatement(
      `SELECT ${columns} ${from(range, Object.fromEntries(active))}`,
      params,
      read,
    );
  }
  const next = values.length + 1;
  const conditions = [
    "livemode" in owner ? "account_id = $1 AND livemode = $2" : "account_id = $1",
    `id < $${next} AND id > $${next + 1}`,
    ...active.map(([column], index) => `${column} = $${next + 3 + index}`),
  ];
  return createStatement(
    `SELECT ${columns} FROM ${from} WHERE ${conditions.join(" AND ")}
     ORDER BY id ${direction === "forward" ? "DESC" : "ASC"} LIMIT $${next + 2}`,
    params,
    read,
  );
}
