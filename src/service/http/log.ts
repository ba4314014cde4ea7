import { mask } from "../../contract/mask.ts";

/** Where the service tells what it does; nothing secret is ever given to it. */
export type Log = {
  info: (fields: object, message: string) => void;
  warn: (fields: object, message: string) => void;
  error: (fields: object, message: string) => void;
};

/**
 * Counts occurrences, and calls `tell` with their number at most once an interval, with the first one at
 * once: under an attack a log line for each would be the work that there is no room for.
 */
export function countAndTell(
  everyMs: number,
  tell: (count: number) => void,
  nowMs = () => performance.now(),
): () => void {
  let toldAtMs = -Infinity;
  let count = 0;
  return () => {
    count++;
    if (nowMs() < toldAtMs + everyMs) return;
    toldAtMs = nowMs();
    tell(count);
    count = 0;
  };
}

const maxCauses = 5;

type LoggedError = { type: string; message: string; stack: string; cause?: LoggedError };

/**
 * What a log may hold of an error, its causes included: an error may quote what it met, or carry the
 * request that it failed on, so its texts are masked and its other properties left out.
 */
export function toMaskedError(error: unknown, depth = 0): LoggedError {
  const { name, message, stack, cause } = error instanceof Error ? error : new Error(String(error));
  const goesOn = cause instanceof Error && depth < maxCauses;
  return {
    type: name,
    message: mask(message),
    stack: mask(stack ?? ""),
    ...(goesOn && { cause: toMaskedError(cause, depth + 1) }),
  };
}
