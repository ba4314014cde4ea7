import {
  ShardUnavailable,
  type Driver,
  type Query,
  type Transaction,
} from "../../../src/service/store/driver.ts";

/** A driver that shows each query before it is sent; what `onQuery` throws fails the transaction. */
function watchedDriver(driver: Driver, onQuery: (query: Query) => void): Driver {
  function* watch<T>(work: Transaction<T>): Transaction<T> {
    let step = work.next();
    while (!step.done) {
      for (const query of step.value.queries) onQuery(query);
      step = work.next(yield step.value);
    }
    return step.value;
  }
  return {
    ...driver,
    read: async (work) => driver.read(() => watch(work())),
    write: async (work) => driver.write((isRetry) => watch(work(isRetry))),
  };
}

/** A driver that records its queries. */
export function recordingDriver(driver: Driver): { driver: Driver; asked: Query[] } {
  const asked: Query[] = [];
  return { asked, driver: watchedDriver(driver, (query) => asked.push(query)) };
}

/** A driver over a database of several machines, one of which is lost: queries that would reach it fail. */
export function losingDriver(driver: Driver, isLost: (query: Query) => boolean): Driver {
  return watchedDriver(driver, (query) => {
    if (isLost(query)) throw new ShardUnavailable("A machine is lost.");
  });
}
