import type { PaymentsError } from "../../client/errors.ts";
import { type ExitReason, exitCodes } from "./exit-codes.ts";

/** A command that ends without success: its exit code for scripts, its message and hint for people. */
export class CommandError extends Error {
  override name = "CommandError";
  readonly ending: Exclude<ExitReason, "done">;
  readonly hint: string | undefined;
  /** The decline code of the payment, where a decline is the reason. */
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
 * Names in `--fields` that no field has. A user may have pasted a key there, so the message repeats none of
 * them; `help/suggest.ts` decides which are safe to repeat.
 */
export class UnknownFields extends CommandError {
  readonly names: FieldNames;

  constructor(one: string, names: FieldNames, hint: string) {
    super("usage", `--fields names a field that ${one} does not have.`, hint);
    this.names = names;
  }
}

/** `typed`: all names in `--fields`, in their order. `metadata`: the field below which any name is allowed. */
export type FieldNames = Record<"typed" | "unknown" | "known", readonly string[]> & {
  metadata: string | undefined;
};

/** A write without a clear response. To repeat it, the user has to type something else than the first time. */
export class UnclearWrite extends Error {
  override name = "UnclearWrite";
  override readonly cause: PaymentsError;
  /** The words to repeat the command with: flags in place of typed ones, or the id of the chosen payment. */
  readonly replacement: string;

  constructor(cause: PaymentsError, replacement: string) {
    super(cause.message, { cause });
    this.cause = cause;
    this.replacement = replacement;
  }
}

/** What ended a run of many writes; `hint` says how to go on with it. */
export class StoppedRun extends Error {
  override name = "StoppedRun";
  readonly hint: string;

  constructor(cause: unknown, hint: string) {
    super("The run has stopped.", { cause });
    this.hint = hint;
  }
}

/** A value that its flag or argument does not take. Its words are chosen by `help/usage-error.ts`, which knows both. */
export class WrongValue extends Error {
  override name = "WrongValue";
  readonly of: "flag" | "arg";
  /** The flag or the argument. */
  readonly setting: string;
  readonly value: string;
  /** The variable that gave the value; undefined where it was typed. */
  readonly variable: string | undefined;
  /** The rule that the value breaks, as a clause; undefined where it must be one of a few. */
  readonly rule: string | undefined;

  constructor({ of, setting, value, variable, rule }: Wrong) {
    super(`${of} ${setting} is wrong`);
    this.of = of;
    this.setting = setting;
    this.value = value;
    this.variable = variable;
    this.rule = rule;
  }
}

type Wrong = Pick<WrongValue, "of" | "setting" | "value"> &
  Partial<Pick<WrongValue, "variable" | "rule">>;

/** Missing or malformed input. */
export function usageError(message: string, hint?: string): CommandError {
  return new CommandError("usage", message, hint);
}

/** The name of a missing value, and a hint how to give it. */
export type Missing = readonly [what: string, hint: string];

/** The error for missing values where no prompt is possible. */
export function missingValue(values: readonly Missing[]): CommandError {
  const named = values.map(([what, hint]) => `${what} (${hint})`);
  return usageError(`Missing ${new Intl.ListFormat("en-GB").format(named)}.`);
}

/** The error for output that cannot be written, as on a full disk; `done` says what the command did before. */
export function writeFailure(cause: Error, done = ""): CommandError {
  const message = `The output cannot be written: ${cause.message}.${done && ` ${done}`}`;
  return new CommandError("unavailable", message);
}
