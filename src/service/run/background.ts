import { type Log, maskedError } from "../http/log.ts";

/** Does a piece of work again and again with a pause between; a failure is logged, not final. */
export function repeat(
  pause: (signal: AbortSignal) => Promise<unknown>,
  work: (signal: AbortSignal) => Promise<unknown>,
  log?: Log,
): () => Promise<void> {
  const stopped = new AbortController();
  const { signal } = stopped;
  const running = (async () => {
    while (!signal.aborted) {
      await work(signal).catch((error: unknown) =>
        log?.error({ err: maskedError(error) }, "background work failed"),
      );
      await pause(signal).catch(() => {});
    }
  })();
  return async () => {
    stopped.abort();
    await running;
  };
}
