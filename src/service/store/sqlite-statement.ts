import type { DatabaseSync } from "node:sqlite";
import type { Query, Row, Value } from "./driver.ts";

/**
 * A statement, to be run any number of times. SQLite writes numbered parameters `?1`, and calls the order of bytes
 * BINARY, which is its default: only migrations name it. A LIMIT that is a parameter and nothing else is part of its plan: it would prepare the statement anew
 * for each run. What its columns are called is asked once, so none may be meant by `*`.
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
