import { defaultPageSize } from "../../contract/field-values.ts";
import { ServiceError } from "../../contract/error.ts";
import {
  type Row,
  type Statement,
  type Transaction,
  type Value,
  createStatement,
  query,
} from "./driver.ts";
import { maxIdOf, toIdBound } from "./ids.ts";
import { type Scope, whereScope } from "./scope.ts";

/** The owner of a list: an account and mode, or an account alone. */
type Owner = Scope | { accountId: string };

/**
 * A table that is listed by `id`. `from` is its name, or builds the FROM of a range; the parameters are then the
 * account and mode, the two bounds, the limit, and the filters' values. `payment` is the column that holds a payment,
 * which makes rows large. Several values of the column `merged` are read as one range of its index each, merged.
 */
export type ListedTable<Item> = {
  from: string | ((range: Range, filters: ActiveFilters) => string);
  columns: string;
  readItem: (row: never, owner: Scope) => Item;
  payment?: string;
  merged?: string;
};

/**
 * The columns that a list is filtered by, with an index where many rows are listed, and the value of each, or several of
 * them; undefined leaves a column out.
 */
export type Filters = Record<string, string | readonly string[] | undefined>;
/** Of a table that builds its FROM, each filter has one value. */
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
  { table: { from, merged }, owner, range, filters }: List,
  read: (rows: never[]) => T,
): Statement<T> {
  const active = Object.entries(filters).flatMap(([column, value]) =>
    value === undefined ? [] : [{ column, wanted: [value].flat() }],
  );
  const { below, above, limit, direction } = range;
  const values: Value[] = "livemode" in owner ? whereScope(owner) : [owner.accountId];
  const params = [...values, below, above, limit, ...active.flatMap(({ wanted }) => wanted)];
  if (typeof from !== "string") {
    const ofEach = Object.fromEntries(
      active.map(({ column, wanted: [only = ""] }) => [column, only]),
    );
    return createStatement(`SELECT ${columns} ${from(range, ofEach)}`, params, read);
  }
  const filtered = active.map(({ column, wanted }) => ({ column, count: wanted.length }));
  const key = `${columns} ${from} ${values.length} ${direction} ${filtered.map(({ column, count }) => `${column} ${count}`).join()}`;
  let sql = texts.get(key);
  if (sql === undefined) {
    sql = writeRange(columns, { from, merged }, values.length, direction, filtered);
    texts.set(key, sql);
  }
  return createStatement(sql, params, read);
}

/** The texts of statements on tables that are named: a driver finds what it has prepared faster by the same text. */
const texts = new Map<string, string>();

/** Reads one range of an index, or merges one for each of several values of a column that has an index. */
function writeRange(
  columns: string,
  { from, merged }: { from: string; merged: string | undefined },
  ownerValues: number,
  direction: Range["direction"],
  filtered: { column: string; count: number }[],
): string {
  const next = ownerValues + 1;
  let at = next + 3;
  const isOwned = ownerValues === 2 ? "account_id = $1 AND livemode = $2" : "account_id = $1";
  let branches = [`${isOwned} AND id < $${next} AND id > $${next + 1}`];
  for (const { column, count } of filtered) {
    const names = Array.from({ length: count }, () => `$${at++}`);
    const conditions =
      column === merged || count === 1
        ? names.map((name) => `${column} = ${name}`)
        : [`${column} IN (${names.join(", ")})`];
    branches = branches.flatMap((branch) => conditions.map((each) => `${branch} AND ${each}`));
  }
  const page = `ORDER BY id ${direction === "forward" ? "DESC" : "ASC"} LIMIT $${next + 2}`;
  const ranges = branches.map((branch) => `FROM ${from} WHERE ${branch} ${page}`);
  if (ranges.length === 1) return `SELECT ${columns} ${ranges[0]}`;
  const parts = ranges.map((each, part) => `SELECT * FROM (SELECT * ${each}) part_${part}`);
  return `SELECT ${columns} FROM (${parts.join(" UNION ALL ")}) listed ${page}`;
}

/** The maximum size of the payments of a page. */
export const maxPageBytes = 1024 * 1024;
/** The maximum size of a stored payment: little more than the largest body that creates one, 64 KiB. */
export const maxPaymentBytes = 68 * 1024;

/** The requested part of a list. Bounds are ids, both exclusive; `forward` is from newer to older. */
export type Range = {
  below: string;
  above: string;
  direction: "forward" | "backward";
  limit: number;
};
/** `items` are newest first in both directions; `hasMore` is about the direction of the request. */
export type Listed<Item> = { items: Item[]; hasMore: boolean };

export type ListQuery = {
  limit?: number | undefined;
  starting_after?: string | undefined;
  ending_before?: string | undefined;
  "created[gte]"?: number | undefined;
  "created[lt]"?: number | undefined;
};

const objectNames = {
  pay_: "a payment",
  evt_: "an event",
  del_: "a delivery",
  we_: "a webhook endpoint",
  act_: "an activity",
  req_: "a request",
};

/**
 * The range of ids that `wanted` requests (specification: list payments). Errors: parameter_invalid where `find` does
 * not find a cursor.
 */
export async function resolveRange(
  prefix: keyof typeof objectNames,
  wanted: ListQuery,
  find: (id: string) => Promise<unknown>,
): Promise<Range> {
  for (const param of ["starting_after", "ending_before"] as const) {
    const cursor = wanted[param];
    if (cursor !== undefined && !(await find(cursor)))
      throw cursorError(param, objectNames[prefix]);
  }
  const gte = wanted["created[gte]"];
  const lt = wanted["created[lt]"];
  const last = maxIdOf(prefix);
  return {
    below: minText(wanted.starting_after ?? last, lt === undefined ? last : toIdBound(prefix, lt)),
    above: maxText(wanted.ending_before ?? "", gte === undefined ? "" : toIdBound(prefix, gte)),
    direction: wanted.ending_before ? "backward" : "forward",
    limit: wanted.limit ?? defaultPageSize,
  };
}

function cursorError(param: string, name: string): ServiceError {
  return new ServiceError(
    "parameter_invalid",
    `${param} must be the id of ${name} of this account and mode. Take it from a page listed with the same key.`,
    param,
  );
}

function minText(a: string, b: string): string {
  return a < b ? a : b;
}

function maxText(a: string, b: string): string {
  return a > b ? a : b;
}
