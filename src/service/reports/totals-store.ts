import { setTimeout as delay } from "node:timers/promises";
import { declineCodes } from "../../contract/field-values.ts";
import { computeBackoff } from "../../runtime/time.ts";
import type { AccountStore } from "../accounts/accounts-store.ts";
import {
  type Driver,
  type Statement,
  changeOne,
  commit,
  countChanges,
  createStatement,
  query,
} from "../database/driver.ts";
import { type Clock, maxIdOf, toCreatedEventIdSql, toIdBound } from "../database/ids.ts";
import { type Scope, whereScope } from "../database/scope.ts";
import type { DayRange, Total } from "./sum-figures.ts";

export function createTotalsStore(driver: Driver) {
  return {
    /**
     * Adds payments and events that are not counted yet, and older than a time in Unix seconds, to the totals of a
     * scope: up to `limit` of each. Returns whether there were any. Each counts once, whichever replica adds it.
     */
    countTotals: async (scope: Scope, before: number, limit: number): Promise<boolean> =>
      advance(driver, scope, { column: "counted_to", end: toIdBound("pay_", before), limit }),
    /**
     * Fills the decline codes that older programs left out, of up to `limit` payments and events that are counted.
     * Returns whether there were any payments or events that it had not looked at.
     */
    fillDeclineCodes: async (scope: Scope, limit: number): Promise<boolean> =>
      advance(driver, scope, { column: "filled_to", end: undefined, limit }),
    /**
     * The totals of a range of days, of all currencies or of one, including up to `limit` payments and as many events
     * that are not counted yet. Where there are more, the totals are complete up to the payment `countedTo`.
     */
    findTotals: (
      scope: Scope,
      days: DayRange,
      limit: number,
      currency?: string,
    ): Promise<{ totals: Total[]; countedTo: string | undefined }> =>
      driver.read(function* () {
        const { counted_to: from } = yield* query(selectProgress(scope));
        const end = maxIdOf("pay_");
        const reach = yield* query(selectReach(scope, { from, end, limit }));
        const countedTo = reach?.isFull ? reach.last : undefined;
        const within = { to: countedTo ?? end, limit, currency };
        const { totals } = yield* query(selectTotals(scope, days, within));
        return { totals, countedTo };
      }, scope.accountId),
    /** The totals of a range of days, of one moment: with all payments and events that are not counted yet. */
    findAllTotals: (scope: Scope, days: DayRange): Promise<Total[]> =>
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

/** Of the totals that are found, several may be of the same day, currency, state and code: they add up. */
export type TotalsStore = ReturnType<typeof createTotalsStore>;

/** The service, as use cases of reports take it. */
export type ReportsService = {
  store: TotalsStore & Pick<AccountStore, "listAccounts">;
  clock: Clock;
  /** How old payments and events are when they are added to the totals; 60 s by default. */
  totalsLagMs?: number | undefined;
};

/** A write commits within 20 s of its id, or never; the rest allows for replicas whose clocks differ. */
const defaultLagMs = 60_000;
/** Few enough for one write that other writers do not wait long. */
const batchSize = 1_000;
/** The pause after a batch, as a multiple of its duration: counting uses a quarter of a processor at most. */
const pauseFactor = 3;
/** For how long an account and mode with nothing to count is skipped; the time doubles. */
const backoff = { minMs: 15_000, maxMs: 5 * 60_000 };

/** Counts the totals of every account and mode; idle ones are visited less and less often. */
export function createTotalsCounter({ store, clock, totalsLagMs = defaultLagMs }: ReportsService) {
  const idle = new Map<string, { untilMs: number; pauses: number }>();

  async function count(scope: Scope, signal?: AbortSignal): Promise<void> {
    const key = `${scope.accountId} ${scope.livemode}`;
    const last = idle.get(key);
    if (last && clock() < last.untilMs) return;
    let hasCounted = false;
    for (;;) {
      if (signal?.aborted) return;
      const startMs = performance.now();
      const before = Math.floor((clock() - totalsLagMs) / 1000);
      const hasMore =
        (await store.countTotals(scope, before, batchSize)) ||
        (await store.fillDeclineCodes(scope, batchSize));
      if (!hasMore) break;
      hasCounted = true;
      const pauseMs = pauseFactor * (performance.now() - startMs);
      await delay(pauseMs, undefined, signal && { signal }).catch(() => {});
    }
    const pauses = hasCounted || !last ? 0 : last.pauses;
    idle.set(key, { untilMs: clock() + computeBackoff(pauses, backoff), pauses: pauses + 1 });
  }

  // Every replica counts: a random first account spreads them.
  return async (signal?: AbortSignal): Promise<void> => {
    const accounts = await store.listAccounts();
    const first = Math.floor(Math.random() * accounts.length);
    for (const { id: accountId } of [...accounts.slice(first), ...accounts.slice(0, first)]) {
      for (const livemode of [false, true]) await count({ accountId, livemode }, signal);
    }
  };
}

// Totals are sums of two kinds of facts that never change: a payment's first state, and each event of a change since.
// Both are ordered in time by their UUID, so the totals are complete up to one UUID, which is stored as the id of a
// payment.

/** The ids up to which the totals of a scope, and the decline codes of its payments, are complete; empty at first. */
type Progress = { counted_to: string; filled_to: string };

function selectProgress(scope: Scope): Statement<Progress> {
  return createStatement(
    "SELECT counted_to, filled_to FROM totals_progress WHERE account_id = $1 AND livemode = $2",
    [...whereScope(scope)],
    ([row]: Progress[]) => row ?? { counted_to: "", filled_to: "" },
  );
}

/** Counts or fills the next payments and events up to `end`, or those that are counted; returns whether there were any. */
async function advance(
  driver: Driver,
  scope: Scope,
  { column, end, limit }: { column: keyof Progress; end: string | undefined; limit: number },
): Promise<boolean> {
  const { from, reach } = await driver.read(function* () {
    const progress = yield* query(selectProgress(scope));
    const within = { from: progress[column], end: end ?? progress.counted_to, limit };
    const hasNone = within.from >= within.end;
    return { ...within, reach: hasNone ? undefined : yield* query(selectReach(scope, within)) };
  });
  if (!reach) return false;
  await driver.write(function* () {
    // As far as there are rows, and not to `end`: the clock that gave it may be ahead of what is written next.
    const to = reach.last;
    // Advanced first: a replica that finds it advanced by another changes nothing.
    if (!(yield* query(advanceProgress(scope, column, { from, to })))) return;
    if (column === "counted_to") yield* commit(addToTotals(scope, from, to));
    else yield* commit(...fillCodes(scope, from, to));
  });
  return true;
}

/**
 * The id up to which the next `limit` payments and as many events reach, and whether there are more of either
 * (`isFull`); undefined where there are none.
 */
function selectReach(
  scope: Scope,
  { from, end, limit }: { from: string; end: string; limit: number },
): Statement<{ last: string; isFull: boolean } | undefined> {
  return createStatement(
    `${selectNext("payments")} UNION ALL ${selectNext("events")}`,
    [...whereScope(scope), from, end, limit],
    (rows: { count: number; last: string | null }[]) => {
      const full = rows.filter(({ count }) => count === limit);
      const isFull = full.length > 0;
      const ends = (isFull ? full : rows).flatMap(({ last }) => (last === null ? [] : [last]));
      const last = ends
        .map((id) => `pay_${id.slice("pay_".length)}`)
        .toSorted()
        .at(isFull ? 0 : -1);
      return last === undefined ? undefined : { last, isFull };
    },
  );
}

/** Records progress up to `to`, unless another replica has advanced it from `from`. */
function advanceProgress(
  scope: Scope,
  column: keyof Progress,
  { from, to }: { from: string; to: string },
): Statement<boolean> {
  return changeOne(
    `INSERT INTO totals_progress (account_id, livemode, counted_to) VALUES ($1, $2, $4)
     ON CONFLICT (account_id, livemode) DO UPDATE SET ${column} = $4 WHERE totals_progress.${column} = $3`,
    [...whereScope(scope), from, to],
  );
}

/** Adds the movements after `from`, up to `to`. */
function addToTotals(scope: Scope, from: string, to: string): Statement<boolean> {
  return changeOne(
    `INSERT INTO totals (account_id, livemode, day, currency, status, code, payments, amount)
     SELECT $1, $2, day, currency, status, code, SUM(payments), SUM(amount)
     FROM (${selectMovements("$3", "$4")}) moved GROUP BY day, currency, status, code
     ON CONFLICT (account_id, livemode, day, currency, status, code) DO UPDATE
     SET payments = totals.payments + excluded.payments, amount = totals.amount + excluded.amount`,
    [...whereScope(scope), from, to],
  );
}

/** Fills the codes of payments after `from`, up to `to`, and of those that have events there. */
function fillCodes(scope: Scope, from: string, to: string): Statement<number>[] {
  const ofEvents = `account_id = $1 AND livemode = $2
     AND id IN (SELECT payment_id FROM events WHERE ${isScopeWithin("events", "$3", "$4")})`;
  return [isScopeWithin("payments", "$3", "$4"), ofEvents].map((which) =>
    countChanges(
      `UPDATE payments SET decline_code = ${selectOlderCode("payment")}
       WHERE ${which} AND status = 'failed' AND decline_code IS NULL`,
      [...whereScope(scope), from, to],
    ),
  );
}

/**
 * The totals of a range of days, of all currencies or of one, with the movements that are not counted yet, up to `to`:
 * at most `limit` payments and as many events. One statement reads both, which is one consistent view; they are not
 * added up, which would sort all of the totals. `isFull`: there may be more movements.
 */
function selectTotals(
  scope: Scope,
  { firstDay, endDay }: DayRange,
  { to, limit, currency }: { to: string; limit?: number; currency?: string | undefined },
): Statement<{ totals: Total[]; isFull: boolean }> {
  const countedTo =
    "COALESCE((SELECT counted_to FROM totals_progress WHERE account_id = $1 AND livemode = $2), '')";
  const within = `day >= $3 AND day < $4${currency === undefined ? "" : " AND currency = $6"}`;
  return createStatement(
    `SELECT day, currency, status, code, payments, amount FROM totals
     WHERE account_id = $1 AND livemode = $2 AND ${within}
     UNION ALL SELECT day, currency, status, code, CAST(SUM(payments) AS BIGINT) AS payments, SUM(amount) AS amount
     FROM (${selectMovements(countedTo, "$5", limit)}) moved
     WHERE ${within} GROUP BY day, currency, status, code
     ${limit === undefined ? "" : selectTaken(countedTo, "$5", limit)}`,
    [...whereScope(scope), firstDay, endDay, to, ...(currency === undefined ? [] : [currency])],
    (rows: (Total | TakenRow)[]) => ({
      totals: rows.filter((row) => row.status !== "taken"),
      isFull: rows.some(({ status, payments }) => status === "taken" && payments === limit),
    }),
  );
}

/** The number of payments, or of events, that a statement has read of those that are not counted yet. */
type TakenRow = { status: "taken"; payments: number };

function selectTaken(from: string, to: string, limit: number): string {
  const counts = (["payments", "events"] as const).map(
    (table) =>
      `UNION ALL SELECT 0 AS day, '' AS currency, 'taken' AS status, '' AS code, COUNT(*) AS payments, 0.0 AS amount
       FROM (SELECT id FROM ${table} WHERE ${isScopeWithin(table, from, to)} ORDER BY id LIMIT ${limit}) taken`,
  );
  return counts.join("\n     ");
}

type Table = "payments" | "events";

function selectNext(table: Table): string {
  return `SELECT COUNT(*) AS count, MAX(id) AS last FROM
     (SELECT id FROM ${table} WHERE ${isScopeWithin(table, "$3", "$4")}
      ORDER BY id LIMIT $5) next_rows`;
}

/** The condition that a row of the scope lies after one id, up to another. */
function isScopeWithin(table: Table, from: string, to: string): string {
  const toOwnId = (id: string) =>
    table === "payments" ? id : toCreatedEventIdSql(`CAST(${id} AS TEXT)`);
  return `account_id = $1 AND livemode = $2 AND ${table}.id > ${toOwnId(from)} AND ${table}.id <= ${toOwnId(to)}`;
}

/** The event of a payment's creation has the payment's digits; every other one is of a change. */
const isChange = (eventId: string, paymentId: string) =>
  `substr(${eventId}, 5) <> substr(${paymentId}, 5)`;

/**
 * The changes of totals after `from`, up to `to`: plus one for a payment that enters a state, minus one for one that
 * leaves it. With `limit` the planner knows that there are few rows: otherwise PostgreSQL compiles the statement
 * (JIT) each time once there are millions.
 */
function selectMovements(from: string, to: string, limit?: number): string {
  const within = (table: Table) => `${isScopeWithin(table, from, to)}
       ${limit === undefined ? "" : `ORDER BY id LIMIT ${limit}`}`;
  const changes = `FROM (SELECT * FROM events WHERE ${within("events")}) happened JOIN payments paid
      ON paid.account_id = happened.account_id AND paid.livemode = happened.livemode AND paid.id = happened.payment_id
      WHERE ${isChange("happened.id", "happened.payment_id")}`;
  const before = "CASE type WHEN 'payment.refunded' THEN 'succeeded' ELSE 'pending' END";
  const after = "substr(type, 9)";
  return `${selectMoves("status", selectDeclineCode("status", "first_states"), 1)} FROM
      (SELECT created, currency, amount, payment, first_status AS status, decline_code FROM payments
       WHERE ${within("payments")}) first_states
      UNION ALL ${selectMoves(before, "''", -1)} ${changes}
      UNION ALL ${selectMoves(after, selectDeclineCode(after, "paid"), 1)} ${changes}`;
}

function selectMoves(status: string, code: string, payments: 1 | -1): string {
  return `SELECT created / 86400 AS day, currency, ${status} AS status,
      ${code} AS code, ${payments} AS payments, ${payments} * CAST(amount AS DOUBLE PRECISION) AS amount`;
}

/** The code of a payment that fails: it stays failed, so its row has it. */
function selectDeclineCode(status: string, row: string): string {
  const code = `COALESCE(${row}.decline_code, ${selectOlderCode(`${row}.payment`)})`;
  return `CASE WHEN ${status} = 'failed' THEN ${code} ELSE '' END`;
}

/**
 * The code that an older program left in a payment's JSON alone, found without JSON functions, which differ between
 * databases. Merchants' texts cannot match, because their quotes are escaped and metadata holds no objects.
 */
function selectOlderCode(payment: string): string {
  const codes = declineCodes.map(
    (code) => `WHEN ${payment} LIKE '%},"decline_code":"${code}",%' THEN '${code}'`,
  );
  return `CASE ${codes.join(" ")} ELSE '' END`;
}
