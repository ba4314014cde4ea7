import { mask } from "../../contract/mask.ts";

/** The service's log. The caller masks secrets. */
export type Log = {
  info: (fields: object, message: string) => void;
  warn: (fields: object, message: string) => void;
  error: (fields: object, message: string) => void;
};

/**
 * Counts occurrences, and reports their number at once and then once an interval at most: under an attack, a log
 * line for each would overload the service.
 */
export function countAndReport(
  everyMs: number,
  report: (count: number) => void,
  nowMs = () => performance.now(),
): () => void {
  let reportedAtMs = -Infinity;
  let count = 0;
  return () => {
    count++;
    if (nowMs() < reportedAtMs + everyMs) return;
    reportedAtMs = nowMs();
    report(count);
    count = 0;
  };
}

const maxCauses = 5;

type LoggedError = { type: string; message: string; stack: string; cause?: LoggedError };

/**
 * An error for the log, with its causes. An error may quote or carry a request, so its texts are masked and
 * its other properties left out.
 */
export function toMaskedError(error: unknown, depth = 0): LoggedError {
  const { name, message, stack, cause } = isError(error) ? error : new Error(String(error));
  const hasCause = isError(cause) && depth < maxCauses;
  return {
    type: name,
    message: mask(message),
    stack: maskStack(stack ?? ""),
    ...(hasCause && { cause: toMaskedError(cause, depth + 1) }),
  };
}

/** Each place of the stack is masked by itself: one may be a whole program in a `data:` URL, which hides no other. */
function maskStack(stack: string): string {
  return stack
    .split(/(?=\n {4}at )/)
    .map(mask)
    .join("");
}

/** Fastify makes its errors by a function of its own: to `Error.isError` they are none. */
function isError(value: unknown): value is Error {
  return typeof value === "object" && value !== null && "name" in value && "message" in value;
}
