import type { Query, Transaction, Value } from "./driver.ts";
import { splitIntoSets } from "./row-sets-sql.ts";

/**
 * Sends the look-ups of a step that differ in their key alone as one statement, in the place of the first of them.
 * Each gets its own row, as if it had been sent by itself.
 */
export function* mergeLookUps<T>(work: Transaction<T>): Transaction<T> {
  let step = work.next();
  while (!step.done) {
    const { queries, isLast } = step.value;
    const sent: Query[] = [];
    const places = new Map<Query, number>();
    for (const group of Map.groupBy(queries, toKind).values()) {
      const [first] = group;
      if (!first?.lookUp || group.length === 1) {
        for (const query of group) places.set(query, sent.push(query) - 1);
        continue;
      }
      const keyPlaces = new Map<Value, number>();
      for (const keys of splitIntoSets([...new Set(group.map(keyOf))])) {
        const place = sent.push(lookUpAll(first, keys)) - 1;
        for (const key of keys) keyPlaces.set(key, place);
      }
      for (const query of group) places.set(query, keyPlaces.get(keyOf(query)) ?? 0);
    }
    const results = yield { queries: sent, isLast };
    step = work.next(
      queries.map((query) => {
        const rows = results[places.get(query) ?? 0] ?? [];
        return query.lookUp ? rows.filter((row) => row["key"] === keyOf(query)) : rows;
      }),
    );
  }
  return step.value;
}

/** The same for look-ups in one table of one account and mode. */
function toKind(query: Query): unknown {
  return query.lookUp
    ? `${query.lookUp} ${String(query.params[0])} ${String(query.params[1])}`
    : query;
}

function keyOf({ params }: Query): Value {
  return params[2] ?? null;
}

function lookUpAll({ lookUp, params }: Query, keys: Value[]): Query {
  const sql = `${lookUp} IN (${keys.map((_, at) => `$${at + 3}`).join(", ")})`;
  return { sql, params: [...params.slice(0, 2), ...keys] };
}
