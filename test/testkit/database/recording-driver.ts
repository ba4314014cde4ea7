import type { Driver, Query, Transaction } from "../../../src/service/store/driver.ts";

/** A driver that notes what it is asked. */
export function recordingDriver(driver: Driver): { driver: Driver; asked: Query[] } {
  const asked: Query[] = [];
  function* noting<T>(work: Transaction<T>): Transaction<T> {
    let step = work.next();
    while (!step.done) {
      asked.push(...step.value.queries);
      step = work.next(yield step.value);
    }
    return step.value;
  }
  return {
    asked,
    driver: {
      ...driver,
      read: async (work) => driver.read(() => noting(work())),
      write: async (work) => driver.write((isRetry) => noting(work(isRetry))),
    },
  };
}
