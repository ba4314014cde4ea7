import { expect, test } from "vitest";
import {
  type Row,
  type Transaction,
  commit,
  findRow,
  mergeTransactions,
  query,
} from "../../../src/service/database/driver.ts";

const select = (name: string) => findRow<Row>(`SELECT '${name}' AS name`, []);

/** Runs a transaction, each of whose statements finds its own text; records the steps. */
function run<T>(work: Transaction<T>): { result: T; steps: string[] } {
  const steps: string[] = [];
  for (let step = work.next(); ;) {
    if (step.done) return { result: step.value, steps };
    const { queries, isLast } = step.value;
    steps.push(`${queries.map(({ sql }) => sql.slice(8, 9)).join("")}${isLast ? " commit" : ""}`);
    step = work.next(queries.map(({ sql }) => [{ name: sql.slice(8, 9) }]));
  }
}

function* write(name: string, before: number): Transaction<string> {
  for (let at = 0; at < before; at++) yield* query(select(name));
  const [row] = yield* commit(select(name));
  return String(row?.["name"]);
}

function* failAfterCommit(): Transaction<string> {
  yield* commit(select("f"));
  throw new Error("It fails late.");
}

test("each step has the queries of all, and each gets its own rows", () => {
  const { result, steps } = run(mergeTransactions([write("a", 1), write("b", 1)]));
  expect(result.map((each) => each())).toEqual(["a", "b"]);
  expect(steps).toEqual(["ab", "ab commit"]);
});

test("one that is over commits with the last one", () => {
  const { result, steps } = run(mergeTransactions([write("a", 0), write("b", 2)]));
  expect(result.map((each) => each())).toEqual(["a", "b"]);
  expect(steps).toEqual(["ab", "b", "b commit"]);
});

test("one that fails after the commit fails alone", () => {
  const { result } = run(mergeTransactions([write("a", 0), failAfterCommit()]));
  expect(result[0]?.()).toBe("a");
  expect(result[1]).toThrow("It fails late.");
});

test("one that fails before the commit fails all", () => {
  const merged = mergeTransactions([write("a", 1), failAfterCommit()]);
  expect(() => run(merged)).toThrow("It fails late.");
});
