import {
  ShardUnavailable,
  type Driver,
  type Query,
  type Transaction,
} from "../../../src/service/store/driver.ts";

/** A driver over a database of several machines, of which one is lost: what would reach it fails. */
export function losingDriver(driver: Driver, isLost: (query: Query) => boolean): Driver {
  function* losing<T>(work: Transaction<T>): Transaction<T> {
    let step = work.next();
    while (!step.done) {
      if (step.value.queries.some(isLost)) throw new ShardUnavailable("A machine is lost.");
      step = work.next(yield step.value);
    }
    return step.value;
  }
  return {
    ...driver,
    read: async (work) => driver.read(() => losing(work())),
    write: async (work) => driver.write((isRetry) => losing(work(isRetry))),
  };
}
