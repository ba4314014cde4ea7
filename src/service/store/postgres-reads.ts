import { Unavailable } from "../../contract/failures.ts";
import type { Driver, Job, Work } from "./driver.ts";

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
 * one that fails does so alone, and a connection that was lost holds up nobody for long.
 */
export function gatherReads(once: Driver["read"], patiently: Driver["read"]): Reads {
  const waiting: Job[] = [];
  let rounds = 0;

  /** Begins after what runs now, so that what it asks at once is one round, on one connection. */
  async function readAll(): Promise<void> {
    rounds++;
    await Promise.resolve();
    while (waiting.length > 0) await readTogether(waiting.splice(0, maxTogether));
    rounds--;
  }

  async function readTogether(reads: Job[]): Promise<void> {
    try {
      const values = await once(() => together(reads.map(({ work }) => work())));
      for (const [at, { resolve }] of reads.entries()) resolve(values[at]);
    } catch (error) {
      for (const { work, resolve, reject } of [...reads, ...waiting.splice(0)]) {
        if (error instanceof Unavailable) reject(error);
        else patiently(work).then(resolve, reject);
      }
    }
  }

  return {
    read: async (work) =>
      new Promise((resolve, reject) => {
        if (waiting.length >= maxWaiting) {
          reject(
            new Unavailable("The database refuses: too many requests wait for an answer of it."),
          );
          return;
        }
        waiting.push({ work, resolve: resolve as Job["resolve"], reject });
        if (rounds < maxRounds) void readAll();
      }),
    waitingCount: () => waiting.length,
  };
}

/** Several pieces of work as one: what they ask next is one step. */
function* together(works: Work<unknown>[]): Work<unknown[]> {
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
