import { Unavailable } from "../../runtime/failures.ts";
import type { Driver, Job, Transaction } from "./driver.ts";

/** With more rounds at once fewer reads share one, and four replicas on one machine respond to a third less. */
const maxRounds = 2;
const maxPerRound = 64;
/** How many reads may wait, those of a round that is about to begin included. */
const maxWaiting = 1_000 + maxPerRound;

type Reads = { read: Driver["read"]; waitingCount: () => number };

/**
 * Lets reads share their round trips: those that come while others are under way wait for these, and are then sent
 * together, by `readOnce`. Where that fails each is sent by itself, by `readWithRetries`: so a read that fails fails no
 * other one, and a lost connection delays none for long. Accounts take turns.
 */
export function gatherReads(readOnce: Driver["read"], readWithRetries: Driver["read"]): Reads {
  /** By account, in the order of their turns. */
  const waiting = new Map<string, Job[]>();
  let waitingCount = 0;
  let rounds = 0;

  /** Begins after the code that runs now, so that all reads it makes at once are one round, on one connection. */
  async function readAll(): Promise<void> {
    rounds++;
    await Promise.resolve();
    while (waiting.size > 0) await readRound(takeNext(maxPerRound));
    rounds--;
  }

  /** Takes the next reads, of each account in turn. */
  function takeNext(limit: number): Job[] {
    const taken: Job[] = [];
    while (taken.length < limit && waiting.size > 0) {
      const [[accountId, ofAccount] = ["", []]] = waiting;
      const next = ofAccount.shift();
      if (next) taken.push(next);
      waiting.delete(accountId);
      if (ofAccount.length > 0) waiting.set(accountId, ofAccount); // at the end
    }
    waitingCount -= taken.length;
    return taken;
  }

  async function readRound(reads: Job[]): Promise<void> {
    try {
      const values = await readOnce(() => mergeSteps(reads.map(({ work }) => work())));
      for (const [at, { resolve }] of reads.entries()) resolve(values[at]);
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
          reject(
            new Unavailable("The database refuses: too many requests wait for an answer of it."),
          );
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

/** Runs several transactions as one: the queries that are next in each are one step. */
function* mergeSteps(works: Transaction<unknown>[]): Transaction<unknown[]> {
  const running = works.map((work) => ({ work, step: work.next() }));
  for (;;) {
    const asked = running.map(({ step }) => (step.done ? [] : step.value.queries));
    if (asked.every((queries) => queries.length === 0))
      return running.map(({ step }) => step.value);
    const rows = yield { queries: asked.flat(), isLast: false };
    for (const [at, each] of running.entries()) {
      const own = rows.splice(0, asked[at]?.length);
      if (!each.step.done) each.step = each.work.next(own);
    }
  }
}
