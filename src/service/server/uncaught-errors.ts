import { type Log, toMaskedError } from "../http/log.ts";

/** A service ends within 17 s by itself: 1 s of accepting, 10 s for what is in flight, 5 s for webhooks. */
const endWithinMs = 20_000;

/**
 * Ends the process with exit code 1 on an error that nothing catches: what state it left is unknown. The error
 * is logged whole; `finish` finishes the requests in flight and their commits, and what the log has gathered is
 * written when the process ends. `end` leaves such errors to Node again.
 */
export function endOnUncaughtErrors(log: Log, finish: () => Promise<void>): { end: () => void } {
  let isEnding = false;
  const endProcess = async (error: unknown) => {
    log.error({ err: toMaskedError(error) }, "uncaught error: the service ends");
    if (isEnding) return;
    isEnding = true;
    setTimeout(() => process.exit(1), endWithinMs).unref();
    await finish().catch((reason: unknown) =>
      log.error({ err: toMaskedError(reason) }, "the service did not end cleanly"),
    );
    process.exit(1);
  };
  const listener = (error: unknown) => void endProcess(error);
  process.on("uncaughtException", listener); // of rejections that nothing handles, too
  return { end: () => void process.off("uncaughtException", listener) };
}
