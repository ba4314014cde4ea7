/** Why a call was given up, and whether the command had been talking with a person. */
export type Interruption = { by: "SIGINT" | "SIGTERM"; asked: boolean };

/** What a process that was ended by a signal exits with. */
export function exitCodeOf({ by }: Interruption): number {
  return by === "SIGINT" ? 130 : 143;
}

/** A terminal's Ctrl-C reaches the launcher and the command, so that one press may arrive twice. */
const samePressMs = 500;

/**
 * Until it is disposed of, Ctrl-C and SIGTERM abort `signal` instead of ending the process at once,
 * so that a write under way can say how it stands. A later press ends it at once.
 */
export function interruptible({ asked }: { asked: boolean }): { signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  let pressedAtMs = Number.POSITIVE_INFINITY;
  const interrupt = (by: Interruption["by"]) => {
    const interruption: Interruption = { by, asked };
    if (performance.now() - pressedAtMs > samePressMs) process.exit(exitCodeOf(interruption));
    if (controller.signal.aborted) return;
    pressedAtMs = performance.now();
    controller.abort(interruption);
  };
  process.on("SIGINT", interrupt).on("SIGTERM", interrupt);
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      // After a press the command is about to end: the same press must not keep it from saying why.
      if (controller.signal.aborted) return;
      process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
    },
  };
}
