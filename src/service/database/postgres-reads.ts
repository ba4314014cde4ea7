import { Unavailable } from "../../runtime/failures.ts";
import type { Driver, Job } from "./driver.ts";
import { mergeLookUps } from "./look-ups.ts";
import { mergeTransactions } from "./merge-transactions.ts";

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
