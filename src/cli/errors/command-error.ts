/** How a command can end, and the exit code that says so. Scripts rely on them: none ever changes. */
export const exitCodes = {
  done: 0,
  fault: 1,
  usage: 2,
  not_as_expected: 3,
  key: 4,
  not_found: 5,
  conflict: 6,
  rate_limited: 7,
  still_pending: 8,
  unavailable: 9,
  canceled: 10,
} as const;
export type ExitReason = keyof typeof exitCodes;

/** A command that ends without success: its exit code for scripts, its message and hint for people. */
export class CommandError extends Error {
  override name = "CommandError";
  readonly ending: Exclude<ExitReason, "done">;
  readonly hint: string | undefined;
  /** Why the payment at fault was declined, where that is what happened. */
  declineCode: string | null = null;

  constructor(ending: Exclude<ExitReason, "done">, message: string, hint?: string) {
    super(message);
    this.ending = ending;
    this.hint = hint;
  }

  get exitCode(): number {
    return exitCodes[this.ending];
  }
}

/**
 * Names in `--fields` that no field has. One may be a key in the wrong place: the message repeats none, and
 * `help/unknown-fields.ts` decides which are safe to repeat.
 */
export class UnknownFields extends CommandError {
  /** All that `--fields` names, in its order. */
  readonly typed: readonly string[];
  readonly unknown: readonly string[];
  readonly known: readonly string[];
  /** Which of those that are known holds names of any kind. */
  readonly metadata: string | undefined;

  constructor(one: string, names: Pick<UnknownFields, "typed" | "unknown" | "known" | "metadata">) {
    const more = names.metadata === undefined ? "" : `, and ${names.metadata}.KEY`;
    const hint = `There are ${names.known.join(", ")}${more}.`;
    super("usage", `--fields names a field that ${one} does not have.`, hint);
    this.typed = names.typed;
    this.unknown = names.unknown;
    this.known = names.known;
    this.metadata = names.metadata;
  }
}

/**
 * A flag's value that is no integer, or one beyond a limit. oclif's parser writes its own message over this
 * one's, so that the flag and the limit are what counts.
 */
export class IntegerError extends Error {
  override name = "IntegerError";
  /** Marks an error of the parser, as oclif does. */
  readonly oclif = {};
  readonly flag: string;
  readonly min: number | undefined;
  readonly max: number | undefined;

  constructor(flag: string, limit: { min?: number; max?: number } = {}) {
    super(`--${flag} must be an integer.`);
    this.flag = flag;
    this.min = limit.min;
    this.max = limit.max;
  }
}

/** Missing or malformed input. */
export function usageError(message: string, hint?: string): CommandError {
  return new CommandError("usage", message, hint);
}

/** A missing value: what it is, and how it is given. */
export type Missing = readonly [what: string, hint: string];

/** The error for values that nobody gave, where no prompt can ask for them. */
export function missingValue(values: readonly Missing[]): CommandError {
  const named = values.map(([what, hint]) => `${what} (${hint})`);
  return usageError(`Missing ${new Intl.ListFormat("en-GB").format(named)}.`);
}

/** Output that cannot be written, such as on a full disk; `done` says what happened all the same. */
export function writeFailure(cause: Error, done = ""): CommandError {
  const message = `The output cannot be written: ${cause.message}.${done && ` ${done}`}`;
  return new CommandError("unavailable", message);
}
