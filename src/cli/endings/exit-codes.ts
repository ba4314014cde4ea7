/** What a command's exit code says. Scripts rely on these numbers: none ever changes its meaning. */
export const exitCodes = {
  done: 0,
  fault: 1,
  usage: 2,
  notAsExpected: 3,
  key: 4,
  notFound: 5,
  conflict: 6,
  rateLimited: 7,
  stillPending: 8,
  unavailable: 9,
  saidNo: 10,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** A command that ends without success: what a script is told, and what a person is. */
export class CommandError extends Error {
  override name = "CommandError";
  readonly exitCode: ExitCode;
  readonly hint: string | undefined;
  /** Why the payment at fault was declined, where that is what happened. */
  declineCode: string | null = null;

  constructor(exitCode: ExitCode, message: string, hint?: string) {
    super(message);
    this.exitCode = exitCode;
    this.hint = hint;
  }
}

/** Missing or malformed input. */
export function usageError(message: string, hint?: string): CommandError {
  return new CommandError(exitCodes.usage, message, hint);
}

/** Data that found no place, such as a full disk; `done` says what has happened all the same. */
export function cannotWrite(cause: Error, done = ""): CommandError {
  const message = `The output cannot be written: ${cause.message}.${done && ` ${done}`}`;
  return new CommandError(exitCodes.unavailable, message);
}

/** The exit code for an HTTP status that is not a success. */
export function exitCodeOfStatus(status: number, code: string): ExitCode {
  if (status === 401 || status === 403) return exitCodes.key;
  if (status === 404) return exitCodes.notFound;
  if (status === 409 || code.startsWith("payment_")) return exitCodes.conflict;
  if (status === 429) return exitCodes.rateLimited;
  if (status >= 400 && status < 500) return exitCodes.usage;
  return exitCodes.unavailable;
}
