// Each purge deletes all expired rows, or stops when `signal` is aborted.

/** Few enough for one write that other writers do not wait long. */
export const batchSize = 500;

export async function repeatWhileFull(
  purge: () => Promise<number>,
  signal?: AbortSignal,
): Promise<number> {
  for (let sum = 0; ;) {
    if (signal?.aborted) return sum;
    const count = await purge();
    sum += count;
    if (count < batchSize) return sum;
  }
}

const maxRounds = 100;

/** Runs until a run finds nothing to do, the signal is aborted, or `maxRounds` is reached. */
export async function runUntilIdle(
  run: () => Promise<number>,
  signal?: AbortSignal,
): Promise<void> {
  for (let round = 0; round < maxRounds; round++) {
    if ((await run()) === 0 || signal?.aborted) return;
  }
}
