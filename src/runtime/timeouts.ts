/** Node's timers end at once when asked for more, in milliseconds. */
export const maxTimerMs = 2 ** 31 - 1;

/**
 * What a promise gives, or `late()` where it takes longer than `limitMs`: a value in its place, or an
 * error that it throws. Whoever stopped waiting does not hear of a later failure.
 */
export async function withTimeout<T, L>(
  promise: Promise<T>,
  limitMs: number,
  late: () => L,
): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<"late">((resolve) => {
    timer = setTimeout(resolve, Math.min(Math.max(0, limitMs), maxTimerMs), "late");
  });
  promise.catch(() => {});
  try {
    const first = await Promise.race([promise.then((value) => ({ value })), timedOut]);
    return first === "late" ? late() : first.value;
  } finally {
    clearTimeout(timer);
  }
}
