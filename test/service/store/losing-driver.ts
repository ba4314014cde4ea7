import { PartLost, type Driver, type Query, type Work } from "../../../src/service/store/driver.ts";

/** A driver over a database of several machines, of which one is lost: what would reach it fails. */
export function losingDriver(driver: Driver, isLost: (query: Query) => boolean): Driver {
  function* losing<T>(work: Work<T>): Work<T> {
    let step = work.next();
    while (!step.done) {
      if (step.value.queries.some(isLost)) throw new PartLost("A machine is lost.");
      step = work.next(yield step.value);
    }
    return step.value;
  }
  return {
    ...driver,
    read: async (work) => driver.read(() => losing(work())),
    write: async (work) => driver.write((isAgain) => losing(work(isAgain))),
  };
}
