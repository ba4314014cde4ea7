import { Unavailable } from "../../runtime/failures.ts";
import {
  type Driver,
  type Job,
  type Query,
  type Transaction,
  type Value,
  mergeTransactions,
} from "./driver.ts";
import { splitIntoSets } from "./scope.ts";

/** With more concurrent rounds fewer reads share one, and four replicas on one machine have a third less throughput. */
const maxRounds = 2;
const maxPerRound = 64;
/** Includes the reads of a round that is about to begin. */
const maxWaiting = 1_000 + maxPerRound;

type Reads = { read: Driver["read"]; waitingCount: () => number };

/**
 * Lets reads share round trips: reads that arrive while others are under way are queued, and then sent together by
 * `readOnce`. If that fails, each is sent by itself by `readWithRetries`, so that one failing read fails no other,
 * and a lost connection delays none for long. Accounts take turns.
 */
export function gatherReads(readOnce: Driver["read"], readWithRetries: Driver["read"]): Reads {
  /** The queued reads by account, in the order of their turns. */
  const waiting = new Map<string, Job[]>();
  let waitingCount = 0;
  let rounds = 0;

  /** Waits for a turn of the event loop, so that the reads of all requests that came in one turn share a round. */
  async function readAll(): Promise<void> {
    rounds++;
    await new Promise(setImmediate);
    while (waiting.size > 0) await readRound(takeNext(maxPerRound));
    rounds--;
  }

  function takeNext(limit: number): Job[] {
    const nextReads: Job[] = [];
    while (nextReads.length < limit && waiting.size > 0) {
      const [[accountId, ofAccount] = ["", []]] = waiting;
      const next = ofAccount.shift();
      if (next) nextReads.push(next);
      waiting.delete(accountId);
      if (ofAccount.length > 0) waiting.set(accountId, ofAccount); // at the end
    }
    waitingCount -= nextReads.length;
    return nextReads;
  }

  async function readRound(reads: Job[]): Promise<void> {
    try {
      const results = await readOnce(() =>
        mergeLookUps(mergeTransactions(reads.map(({ work }) => work()))),
      );
      for (const [at, { resolve }] of reads.entries()) resolve(results[at]?.());
    } catch (error) {
      for (const { work, resolve, reject } of [...reads, ...takeNext(Infinity)]) {
        if (error instanceof Unavailable) reject(error);
        else readWithRetries(work).then(resolve, reject);
      }
    }
  }

  return {
    read: async (work, accountId = "") =>
      new Promise((resolve, reject) => {
        if (waitingCount >= maxWaiting) {
          reject(new Unavailable("The database refuses: too many requests wait for its answer."));
          return;
        }
        const ofAccount = waiting.get(accountId) ?? [];
        waiting.set(accountId, ofAccount);
        ofAccount.push({ work, resolve: resolve as Job["resolve"], reject });
        waitingCount++;
        if (rounds < maxRounds) void readAll();
      }),
    waitingCount: () => waitingCount,
  };
}

/**
 * Sends the look-ups of a step that differ in their key alone as one statement, in the place of the first of them.
 * Each gets its own row, as if it had been sent by itself.
 */
function* mergeLookUps<T>(work: Transaction<T>): Transaction<T> {
  let step = work.next();
  while (!step.done) {
    const { queries, isLast } = step.value;
    const sent: Query[] = [];
    const places = new Map<Query, number>();
    for (const group of Map.groupBy(queries, toKind).values()) {
      const [first] = group;
      if (!first?.lookUp || group.length === 1) {
        for (const query of group) places.set(query, sent.push(query) - 1);
        continue;
      }
      const keyPlaces = new Map<Value, number>();
      for (const keys of splitIntoSets([...new Set(group.map(keyOf))])) {
        const place = sent.push(lookUpAll(first, keys)) - 1;
        for (const key of keys) keyPlaces.set(key, place);
      }
      for (const query of group) places.set(query, keyPlaces.get(keyOf(query)) ?? 0);
    }
    const results = yield { queries: sent, isLast };
    step = work.next(
      queries.map((query) => {
        const rows = results[places.get(query) ?? 0] ?? [];
        return query.lookUp ? rows.filter((row) => row["key"] === keyOf(query)) : rows;
      }),
    );
  }
  return step.value;
}

/** The same for look-ups in one table of one account and mode. */
function toKind(query: Query): unknown {
  return query.lookUp
    ? `${query.lookUp} ${String(query.params[0])} ${String(query.params[1])}`
    : query;
}

function keyOf({ params }: Query): Value {
  return params[2] ?? null;
}

function lookUpAll({ lookUp, params }: Query, keys: Value[]): Query {
  const sql = `${lookUp} IN (${keys.map((_, at) => `$${at + 3}`).join(", ")})`;
  return { sql, params: [...params.slice(0, 2), ...keys] };
}
