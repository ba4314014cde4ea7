import { Unavailable } from "../../runtime/failures.ts";
import { createFairSemaphore } from "../../runtime/fair-semaphore.ts";
import {
  type Driver,
  type Job,
  LateWrite,
  type Query,
  type SharedWrite,
  type Transaction,
  type Value,
  isInTime,
  mergeTransactions,
  reserveKeys,
  settle,
  writeGroup,
} from "./driver.ts";
import {
  type Attempts,
  hasTimeLeft,
  isTimeout,
  maxRetries,
  mayConcernOne,
  retryTransient,
  startAttempts,
  toFinalError,
} from "./postgres-errors.ts";
import { connectTimeoutMs } from "./postgres-options.ts";
import { splitIntoSets } from "./scope.ts";

/** With more concurrent rounds fewer reads share one, and four replicas on one machine have a third less throughput. */
const maxRounds = 2;
const maxPerRound = 64;
/** Includes the reads of a round that is about to begin. */
const maxWaitingReads = 1_000 + maxPerRound;

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
        if (waitingCount >= maxWaitingReads) {
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

/** While one group is being committed to disk another is processed; more would be smaller, and wait for locks. */
const maxGroups = 2;
/** A larger group is not faster, and more writes would wait for its slowest one. */
const maxGroupSize = 64;
/** Of the payments in a group: what the database has to receive before it can answer. */
const maxGroupBytes = 1024 * 1024;
/** How many writes may wait: more than a service processes at once. */
const maxWaitingWrites = 1_200;
/** After these a group is halved: fewer writes conflict with fewer. */
const maxGroupConflicts = 2;
/** An account leaves a tenth of the slots and of the queue to other accounts. */
const timesFree = 9;

/** Slots of writes, which wait for one at most as long as for a connection. Error: Unavailable. */
export function createWriteSlots(count: number) {
  const slots = createFairSemaphore({ slots: count, maxWaiting: maxWaitingWrites, timesFree });
  return {
    waitingCount: slots.waitingCount,
    acquire: async (accountId: string): Promise<Disposable> => {
      const slot = await slots.acquire([accountId], connectTimeoutMs);
      if (slot) return slot;
      throw new Unavailable("The database refuses: too many requests wait for a connection to it.");
    },
  };
}

type WaitingWrite = Omit<Job, "work"> & {
  shared: SharedWrite<unknown, unknown>;
  accountId: string;
  sinceMs: number;
  /** Begun when the write has got its slot. */
  attempts: Attempts;
};
type WriteGroup = WaitingWrite[];

/**
 * Gathers writes into groups, each of which is one transaction: the writes that arrive while others are under way.
 * `writeOnce` commits a transaction of so many writes, the oldest of which was made at `sinceMs`. Accounts take turns.
 * `isByAccount`: a group is of one account, because the database stores each on one of several servers.
 */
export function gatherWrites({
  writeOnce,
  isByAccount,
}: {
  writeOnce: <T>(work: () => Transaction<T>, count: number, sinceMs: number) => Promise<T>;
  isByAccount: () => boolean;
}) {
  const slots = createWriteSlots(maxGroups * maxGroupSize);
  let waiting: WaitingWrite[] = [];
  let groups = 0;

  /** The next writes that may share a transaction; the others stay in their order. */
  function takeGroup(accountId?: string): WriteGroup {
    const group: WriteGroup = [];
    const keys = new Set<string>();
    const left: WaitingWrite[] = [];
    let bytes = 0;
    for (const write of waiting) {
      if (!isInTime(write.sinceMs)) {
        write.reject(new LateWrite());
        continue;
      }
      const isFull = group.length === maxGroupSize || bytes >= maxGroupBytes;
      if (isFull || (accountId !== undefined && write.accountId !== accountId)) {
        left.push(write);
        continue;
      }
      try {
        (reserveKeys(keys, write.shared.keys()) ? group : left).push(write);
        bytes += write.shared.bytes();
      } catch (error) {
        write.reject(error); // its item cannot be made
      }
    }
    waiting = left;
    return group;
  }

  /** Waits for a turn of the event loop, so that the requests of one turn share a transaction. */
  async function runGroups(): Promise<void> {
    groups++;
    await new Promise(setImmediate);
    while (waiting.length > 0)
      await commitGroup(takeGroup(isByAccount() ? waiting[0]?.accountId : undefined));
    groups--;
  }

  /** Commits a group of writes. If it fails because of one of them, its halves are tried, down to each by itself. */
  async function commitGroup(group: WriteGroup, attempts = joinAttempts(group)): Promise<void> {
    if (group.length === 0) return; // no item could be made
    const maxConflicts = group.length > 1 ? maxGroupConflicts : maxRetries;
    const sinceMs = Math.min(...group.map((write) => write.sinceMs));
    try {
      const outcomes = await retryTransient(attempts, maxConflicts, async (mayBeWritten) =>
        writeOnce(() => writeGroup(group, mayBeWritten), group.length, sinceMs),
      );
      for (const [at, write] of group.entries()) settle(write, outcomes[at]);
    } catch (error) {
      if (group.length > 1 && mayConcernOne(error) && hasTimeLeft(attempts)) {
        // One that waits for a lock would delay each half in turn.
        const size = isTimeout(error) ? 1 : Math.ceil(group.length / 2);
        const parts = Array.from({ length: Math.ceil(group.length / size) }, (_, part) =>
          group.slice(part * size, (part + 1) * size),
        );
        await Promise.all(parts.map(async (part) => commitGroup(part, { ...attempts })));
      } else {
        for (const { reject } of group) reject(toFinalError(error, attempts));
      }
    }
  }

  return {
    waitingCount: () => slots.waitingCount() + waiting.length,
    write: async <T>(accountId: string, shared: SharedWrite<unknown, T>): Promise<T> => {
      const sinceMs = performance.now();
      using _ = await slots.acquire(accountId);
      return await new Promise<T>((resolve, reject) => {
        const settling = { resolve: resolve as Job["resolve"], reject };
        waiting.push({ accountId, shared, sinceMs, attempts: startAttempts(), ...settling });
        if (groups < maxGroups) void runGroups();
      });
    },
  };
}

/** A group ends in the time of the write that has waited the longest. */
function joinAttempts(group: WriteGroup): Attempts {
  const deadlines = group.map(({ attempts }) => attempts.deadlineMs);
  return { mayBeWritten: false, deadlineMs: Math.min(...deadlines) };
}
