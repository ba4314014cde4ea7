import type { DatabaseSync } from "node:sqlite";
import type { Query, Row, Value } from "./driver.ts";

/**
 * Prepares a statement for any number of runs. SQLite writes numbered parameters as `?1`, and names the order of
 * bytes BINARY. A LIMIT that is a bare parameter is part of SQLite's plan, which it would then prepare again for each
 * run. The names of the columns are read once, so no query may select `*`.
 */
export function prepareCached(
  db: DatabaseSync,
  sql: string,
): (query: Pick<Query, "params" | "isChange">) => Row[] {
  const statement = db.prepare(
    sql
      .replaceAll(/LIMIT (\$\d+)/g, "LIMIT CAST($1 AS INTEGER)")
      .replaceAll(/\$(\d)/g, "?$1")
      .replaceAll('COLLATE "C"', "COLLATE BINARY"),
  );
  statement.setReturnArrays(true); // Node makes objects of rows slowly
  const names = statement.columns().map(({ name }) => name);
  return ({ params, isChange }) => {
    if (isChange) return [{ changed: Number(statement.run(...params).changes) }];
    const rows = statement.all(...params) as unknown as Value[][];
    return rows.map((values) => rowOf(names, values));
  };
}

function rowOf(names: string[], values: Value[]): Row {
  const row: Row = {};
  for (const [index, name] of names.entries()) row[name] = values[index] ?? null;
  return row;
}
