import { Unavailable } from "../../runtime/failures.ts";
import type { Driver, Job, Transaction } from "./driver.ts";

/**
 * How many rounds of reads are under way at once, how many reads one has, and how many may wait, those of
 * a round that is about to begin included. With more rounds fewer share one, and four replicas on one
 * machine answer a third less.
 */
const maxRounds = 2;
const maxTogether = 64;
const maxWaiting = 1_000 + maxTogether;

type Reads = { read: Driver["read"]; waitingCount: () => number };

/**
 * Lets reads share their round trips: those that come while others are being answered wait for these,
 * and are then asked together, by `once`. Where that fails, each is asked on its own, by `patiently`:
 * one that fails does so alone, and a connection that was lost holds up nobody for long. Accounts take turns at who is
 * asked next.
 */
export function gatherReads(once: Driver["read"], patiently: Driver["read"]): Reads {
  /** By account; the first is the one whose turn it is. */
  const waiting = new Map<string, Job[]>();
  let waitingCount = 0;
  let rounds = 0;

  /** Begins after what runs now, so that what it asks at once is one round, on one connection. */
  async function readAll(): Promise<void> {
    rounds++;
    await Promise.resolve();
    while (waiting.size > 0) await readTogether(takeNext(maxTogether));
    rounds--;
  }

  /** The next ones, of each account in turn. */
  function takeNext(limit: number): Job[] {
    const taken: Job[] = [];
    while (taken.length < limit && waiting.size > 0) {
      const [[accountId, ofAccount] = ["", []]] = waiting;
      const next = ofAccount.shift();
      if (next) taken.push(next);
      waiting.delete(accountId);
      if (ofAccount.length > 0) waiting.set(accountId, ofAccount); // the last one from now on
    }
    waitingCount -= taken.length;
    return taken;
  }

  async function readTogether(reads: Job[]): Promise<void> {
    try {
      const values = await once(() => together(reads.map(({ work }) => work())));
      for (const [at, { resolve }] of reads.entries()) resolve(values[at]);
    } catch (error) {
      for (const { work, resolve, reject } of [...reads, ...takeNext(Infinity)]) {
        if (error instanceof Unavailable) reject(error);
        else patiently(work).then(resolve, reject);
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

/** Several pieces of work as one: what they ask next is one step. */
function* together(works: Transaction<unknown>[]): Transaction<unknown[]> {
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
