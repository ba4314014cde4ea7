import { maxIdOf, toIdBound } from "../database/object-id.ts";
import type { TotalsStore } from "./totals-types.ts";
import { commit, query, type Driver } from "../database/driver.ts";
import {
  addToTotals,
  advanceProgress,
  selectProgress,
  selectReach,
  selectTotals,
} from "./totals-sql.ts";

export function createTotalsStore(driver: Driver): TotalsStore {
  return {
    countTotals: async (scope, before, limit) => {
      const { from, reach } = await driver.read(function* () {
        const progress = yield* query(selectProgress(scope));
        const within = { from: progress, end: toIdBound("pay_", before), limit };
        return { from: progress, reach: yield* query(selectReach(scope, within)) };
      });
      if (!reach) return false;
      await driver.write(function* () {
        // As far as there are rows, and not to `end`: the clock that gave it may be ahead of what is written next.
        const to = reach.last;
        // Advanced first: a replica that finds it advanced by another adds nothing.
        const isMoved = yield* query(advanceProgress(scope, from, to));
        if (isMoved) yield* commit(addToTotals(scope, from, to));
      });
      return true;
    },
    findTotals: (scope, days, limit, currency) =>
      driver.read(function* () {
        const from = yield* query(selectProgress(scope));
        const end = maxIdOf("pay_");
        const reach = yield* query(selectReach(scope, { from, end, limit }));
        const countedTo = reach?.isFull ? reach.last : undefined;
        const within = { to: countedTo ?? end, limit, currency };
        const { totals } = yield* query(selectTotals(scope, days, within));
        return { totals, countedTo };
      }, scope.accountId),
    findAllTotals: (scope, days) =>
      driver.read(function* () {
        const to = maxIdOf("pay_");
        for (const limit of uncountedLimits) {
          const { totals, isFull } = yield* query(selectTotals(scope, days, { to, limit }));
          if (!isFull) return totals;
        }
        return (yield* query(selectTotals(scope, days, { to }))).totals;
      }, scope.accountId),
  };
}

/**
 * How many payments, and events, are read beyond the totals: usually few, and the database plans for few where it knows
 * of a limit. Each limit is so much higher that the attempts with those before it do not matter.
 */
const uncountedLimits = [1_000, 30_000, 1_000_000];
