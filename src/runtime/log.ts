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
