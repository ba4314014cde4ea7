/** As Promise.all, but a failure rejects only after every promise has settled, so that none of the work still runs. */
export async function awaitAll<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return await Promise.all(promises);
}
