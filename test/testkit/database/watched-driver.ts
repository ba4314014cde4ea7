import { onTestFinished } from "vitest";
import {
  ShardUnavailable,
  type Driver,
  type Query,
  type SharedWrite,
  type Transaction,
} from "../../../src/service/database/driver.ts";

type Write = SharedWrite<unknown, unknown>["write"];

/**
 * Wraps a driver to observe each query before it is sent, and its rows; an error of `onQuery` fails the transaction.
 */
function observeDriver(
  driver: Driver,
  onQuery: (query: Query) => void,
  onRows: (count: number) => void = () => {},
): Driver {
  function* watch<T>(work: Transaction<T>): Transaction<T> {
    let step = work.next();
    while (!step.done) {
      for (const query of step.value.queries) onQuery(query);
      const rows = yield step.value;
      onRows(rows.flat().length);
      step = work.next(rows);
    }
    return step.value;
  }
  /** Writes of one kind are recognized by their function, so that each has one here, too. */
  const watched = new Map<Write, Write>();
  function watchShared(write: Write): Write {
    const known =
      watched.get(write) ?? ((items: unknown[], mayBeWritten) => watch(write(items, mayBeWritten)));
    watched.set(write, known);
    return known;
  }
  return {
    ...driver,
    read: async (work) => driver.read(() => watch(work())),
    write: async <T>(
      work: (mayBeWritten: boolean) => Transaction<T>,
      accountId?: string,
      shared?: SharedWrite<unknown, T>,
    ) =>
      driver.write(
        (mayBeWritten) => watch(work(mayBeWritten)),
        accountId,
        shared && { ...shared, write: watchShared(shared.write) as typeof shared.write },
      ),
  };
}

/** A driver that records its queries. */
export function createRecordingDriver(driver: Driver): { driver: Driver; queries: Query[] } {
  const queries: Query[] = [];
  return { queries, driver: observeDriver(driver, (query) => queries.push(query)) };
}

/** A driver that counts the rows that it returns. */
export function createCountingDriver(driver: Driver): { driver: Driver; rows: () => number } {
  let rows = 0;
  const counting = observeDriver(
    driver,
    () => {},
    (count) => (rows += count),
  );
  return { driver: counting, rows: () => rows };
}

/** A driver of a sharded database with an unavailable shard: queries that would reach it fail. */
export function createLosingDriver(driver: Driver, isLost: (query: Query) => boolean): Driver {
  return observeDriver(driver, (query) => {
    if (isLost(query)) throw new ShardUnavailable("A machine is lost.");
  });
}

/** Counts the turns of the event loop until the test ends. */
export function countTurns(): () => number {
  let turns = 0;
  let isOver = false;
  onTestFinished(() => void (isOver = true));
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  return () => turns;
}
