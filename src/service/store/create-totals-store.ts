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
    findTotals: (scope, firstDay, limit) =>
      driver.read(function* () {
        const from = yield* query(selectProgress(scope));
        const end = maxIdOf("pay_");
        const to = (yield* query(selectReach(scope, { from, end, limit }))) ?? end;
        const totals = yield* query(selectTotals(scope, firstDay, { to, limit }));
        return { totals, countedTo: to === end ? undefined : to };
      }, scope.accountId),
  };
}
