import { maxIdOf, toIdBound } from "../domain/object-id.ts";
import type { TotalsStore } from "../ports/totals-store.ts";
import { commit, query, type Driver } from "./driver.ts";
import { unlessShardUnavailable } from "./lease-due.ts";
import {
  addToTotals,
  advanceProgress,
  selectProgress,
  selectReach,
  selectTotals,
} from "./sql/totals-sql.ts";

export function createTotalsStore(driver: Driver): TotalsStore {
  return {
    countTotals: async (scope, before, limit) => {
      const next = driver.read(function* () {
        const from = yield* query(selectProgress(scope));
        const end = toIdBound("pay_", before);
        return { from, to: yield* query(selectReach(scope, { from, end, limit })) };
      });
      const { from, to } = await unlessShardUnavailable(next, { from: "", to: undefined });
      if (to === undefined) return false;
      await driver.write(function* () {
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
        const to = (yield* query(selectReach(scope, { from, end, limit }))) ?? end;
        const { totals } = yield* query(selectTotals(scope, days, { to, limit, currency }));
        return { totals, countedTo: to === end ? undefined : to };
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
