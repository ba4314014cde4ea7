import type { Scope } from "../../ports/idempotency-record.ts";
import type { Value } from "../driver.ts";

/** The most rows of one statement. */
const maxSetRows = 64;

/**
 * Splits rows into sets whose sizes are powers of two, so that a statement has few texts, each of which is prepared
 * once.
 */
export function splitIntoSets<T>(rows: T[]): T[][] {
  const sets: T[][] = [];
  for (let at = 0, size = maxSetRows; at < rows.length; size /= 2) {
    for (; rows.length - at >= size; at += size) sets.push(rows.slice(at, at + size));
  }
  return sets;
}

/** Rows as a list of VALUES, with the parameters from `$at` on; `types` are needed where no table tells them. */
export function toValueList(
  rows: Value[][],
  at: number,
  types?: string[],
): { sql: string; params: Value[] } {
  const toParameter = (index: number, column: number) =>
    types ? `CAST($${index} AS ${types[column]})` : `$${index}`;
  let index = at;
  const list = rows.map(
    (row) => `(${row.map((_, column) => toParameter(index++, column)).join(", ")})`,
  );
  return { sql: `VALUES ${list.join(", ")}`, params: rows.flat() };
}

/** The items of each account and mode. */
export function groupByScope<T extends { scope: Scope }>(items: T[]): { scope: Scope; of: T[] }[] {
  const groups = Map.groupBy(items, ({ scope }) => `${scope.accountId} ${scope.livemode}`);
  return [...groups.values()].flatMap((of) => (of[0] ? [{ scope: of[0].scope, of }] : []));
}
