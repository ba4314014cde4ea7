import { type Log, toMaskedError } from "../http/log.ts";

/** A shutdown takes at most 17 s: 1 s of accepting, 10 s for requests in flight, 5 s for webhooks, and the rest. */
const maxEndMs = 20_000;

/**
 * Ends the process with exit code 1 on an uncaught error, since its state is unknown: the error is logged in
 * full, and `finish` finishes the requests in flight with their commits. The returned function removes this
 * handler.
 */
export function endOnUncaughtErrors(log: Log, finish: () => Promise<void>): () => void {
  let isEnding = false;
  const endProcess = async (error: unknown) => {
    log.error({ err: toMaskedError(error) }, "uncaught error: the service ends");
    if (isEnding) return;
    isEnding = true;
    setTimeout(() => process.exit(1), maxEndMs).unref();
    await finish().catch((reason: unknown) =>
      log.error({ err: toMaskedError(reason) }, "the service did not end cleanly"),
    );
    process.exit(1);
  };
  const listener = (error: unknown) => void endProcess(error);
  process.on("uncaughtException", listener); // unhandled rejections, too
  return () => void process.off("uncaughtException", listener);
}
