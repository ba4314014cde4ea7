import { Unavailable } from "../../runtime/failures.ts";
import { createFairSemaphore } from "../../runtime/fair-semaphore.ts";
import {
  type Job,
  LateWrite,
  type SharedWrite,
  type Transaction,
  isInTime,
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

/** While one group is being committed to disk another is processed; more would be smaller, and wait for locks. */
const maxGroups = 2;
/** A larger group is not faster, and more writes would wait for its slowest one. */
const maxGroupSize = 64;
/** Of the payments in a group: what the database has to receive before it can answer. */
const maxGroupBytes = 1024 * 1024;
/** How many writes may wait: more than a service processes at once. */
const maxWaiting = 1_200;
/** After these a group is halved: fewer writes conflict with fewer. */
const maxGroupConflicts = 2;
/** An account leaves a tenth of the slots and of the queue to other accounts. */
const timesFree = 9;

/** Slots of writes, which wait for one at most as long as for a connection. Error: Unavailable. */
export function createWriteSlots(count: number) {
  const slots = createFairSemaphore({ slots: count, maxWaiting, timesFree });
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
      const outcomes = await retryTransient(attempts, maxConflicts, async (isRetry) =>
        writeOnce(() => writeGroup(group, isRetry), group.length, sinceMs),
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
  return { isRetry: false, deadlineMs: Math.min(...deadlines) };
}
