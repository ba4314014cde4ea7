/** A signal ended the command; `asked`: whether the command had prompted the user before. */
export class Interruption extends Error {
  override name = "Interruption";
  readonly by: keyof typeof exitCodesBySignal;
  readonly asked: boolean;

  constructor(by: Interruption["by"], { asked }: { asked: boolean }) {
    super("Interrupted.");
    this.by = by;
    this.asked = asked;
  }

  /** What a process that was ended by this signal exits with. */
  get exitCode(): number {
    return exitCodesBySignal[this.by];
  }
}

/** Ctrl-C, the operating system, and a terminal that is closed. */
const exitCodesBySignal = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** A terminal's Ctrl-C reaches the launcher and the command, so that one press may arrive twice. */
const samePressMs = 500;

/**
 * Until it is disposed of, these signals abort `signal` instead of ending the process at once, so that
 * a write under way can say how it stands. A later press ends it at once.
 */
export function watchInterruption({
  asked,
}: {
  asked: boolean;
}): { signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  let pressedAtMs = Number.POSITIVE_INFINITY;
  const interrupt = (by: Interruption["by"]) => {
    const interruption = new Interruption(by, { asked });
    if (performance.now() - pressedAtMs > samePressMs) process.exit(interruption.exitCode);
    if (controller.signal.aborted) return;
    pressedAtMs = performance.now();
    controller.abort(interruption);
  };
  process.on("SIGINT", interrupt).on("SIGTERM", interrupt).on("SIGHUP", interrupt);
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      // After a press the command is about to end: the same press must not keep it from saying why.
      if (controller.signal.aborted) return;
      process.off("SIGINT", interrupt).off("SIGTERM", interrupt).off("SIGHUP", interrupt);
    },
  };
}

/** Aborted by one of them, for a command that goes on until then; further ones change nothing. */
export function untilSignal(): { signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  const end = () => controller.abort();
  process.on("SIGINT", end).on("SIGTERM", end).on("SIGHUP", end);
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => process.off("SIGINT", end).off("SIGTERM", end).off("SIGHUP", end),
  };
}
