/** A signal ended the command; `hasPrompted`: whether the command had prompted the user before. */
export class Interruption extends Error {
  override name = "Interruption";
  readonly by: keyof typeof exitCodesBySignal;
  readonly hasPrompted: boolean;
  /** Says which work the service continues after the command has ended. */
  readonly hint: string | null;

  constructor(
    by: Interruption["by"],
    { hasPrompted, hint = null }: { hasPrompted: boolean; hint?: string | null },
  ) {
    super("Interrupted.");
    this.by = by;
    this.hasPrompted = hasPrompted;
    this.hint = hint;
  }

  /** The exit code by which a shell reports this signal. */
  get exitCode(): number {
    return exitCodesBySignal[this.by];
  }
}

/** In this order: Ctrl-C, the operating system, a terminal that is closed. */
const exitCodesBySignal = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
const signalNames = Object.keys(exitCodesBySignal) as Interruption["by"][];

/** The time in which a command may still print what it has, once a signal has come. */
const graceMs = 250;
/** A signal is seen only between two turns of the event loop, and a write to a file makes none. */
const turnEveryMs = 20;

/** The signal that the running command watches for. */
let watched: AbortSignal | undefined;
let turnedAtMs = Number.NEGATIVE_INFINITY;

/** A terminal sends Ctrl-C to the launcher and the command, so that one press may arrive twice. */
const samePressMs = 500;

/**
 * Until it is disposed of, these signals abort `signal` instead of ending the process at once, so that
 * a write under way can say how it stands. A later press ends it at once.
 */
export function watchInterruption({
  hasPrompted,
}: {
  hasPrompted: boolean;
}): { signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  let pressedAtMs = Number.POSITIVE_INFINITY;
  const interrupt = (by: Interruption["by"]) => {
    const interruption = new Interruption(by, { hasPrompted });
    if (performance.now() - pressedAtMs > samePressMs) process.exit(interruption.exitCode);
    if (controller.signal.aborted) return;
    pressedAtMs = performance.now();
    controller.abort(interruption);
  };
  const stopWatching = onSignals(interrupt);
  watched = controller.signal;
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      // The second arrival of the same press must not end the command before it has printed its error.
      if (controller.signal.aborted) return;
      watched = undefined;
      stopWatching();
    },
  };
}

/**
 * For a command that runs until a signal: the first one aborts `signal` with an `Interruption`, later ones change
 * nothing.
 */
export function untilSignal(): { signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  const end = (by: Interruption["by"]) => {
    controller.abort(new Interruption(by, { hasPrompted: false }));
  };
  watched = controller.signal;
  return { signal: controller.signal, [Symbol.dispose]: onSignals(end) };
}

/**
 * Waits for work that another program may hold up, such as a write that nobody reads. A watched signal ends that: soon
 * after it the interruption is thrown; `done` says what the command did before.
 */
export async function hearSignals<T>(work: Promise<T>, done?: string): Promise<T> {
  const signal = watched;
  if (!signal) return await work;
  work.catch(() => {}); // it may fail before the turn is over; the caller gets its failure below
  if (performance.now() - turnedAtMs > turnEveryMs) {
    await new Promise(setImmediate);
    turnedAtMs = performance.now();
  }
  return await new Promise<T>((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const giveUp = () => {
      const { by, hasPrompted, hint } = signal.reason as Interruption;
      const interruption = new Interruption(by, { hasPrompted, hint: done ?? hint });
      timer = setTimeout(() => reject(interruption), graceMs);
    };
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true });
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", giveUp);
    };
    work.finally(end).then(resolve, reject);
  });
}

/**
 * Does work that keeps this thread busy for seconds, during which no handler of a signal could run: without one the
 * system ends the process, which a shell reports by the same exit code.
 */
export function endAtOnceDuring<T>(work: () => T): T {
  const handlers = signalNames.map((signal) => [signal, process.listeners(signal)] as const);
  for (const signal of signalNames) process.removeAllListeners(signal);
  try {
    return work();
  } finally {
    for (const [signal, all] of handlers) for (const each of all) process.on(signal, each);
  }
}

/** Ends the process soon after a signal that the command has heard, whatever still waits: an unread pipe, a slow disk. */
export function endAfterSignal(): void {
  const reason: unknown = watched?.aborted ? watched.reason : undefined;
  if (!(reason instanceof Interruption)) return;
  const end = () => {
    const waitsForDisk = process.getActiveResourcesInfo().some((name) => name.startsWith("FSReq"));
    if (!waitsForDisk) process.exit();
    // Node's own end waits for the thread that reads the disk. A shell reports the signal by the same exit code.
    process.removeAllListeners(reason.by);
    process.kill(process.pid, reason.by);
  };
  setTimeout(end, graceMs).unref();
}

/** Throws the interruption, unless it is Ctrl-C, which is how a person ends a command that runs until a signal. */
export function throwUnlessCtrlC({ reason }: AbortSignal): void {
  if (reason instanceof Interruption && reason.by !== "SIGINT") throw reason;
}

/** The returned function removes the listener. */
function onSignals(listener: (by: Interruption["by"]) => void): () => void {
  for (const signal of signalNames) process.on(signal, listener);
  return () => signalNames.forEach((signal) => process.off(signal, listener));
}
