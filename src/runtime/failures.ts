// What keeps the command, the client and the service from working, told by one class in all of them.

/**
 * What is needed cannot be used at the moment: a database, a card network, a port, a proxy. Trying
 * again may help; a write may have been done where its answer was lost on the way, so that it must be
 * tried again under the same idempotency key. `hint` says what else to do. `isPublic`: the message tells a
 * client of the service nothing that is not theirs to know. `lasts`: nothing was done,
 * and trying again cannot help before somebody has put right what is wrong.
 */
export class Unavailable extends Error {
  override name = "Unavailable";
  readonly hint: string | undefined;
  readonly lasts: boolean;
  readonly isPublic: boolean;

  constructor(
    message: string,
    options: {
      cause?: unknown;
      hint?: string | undefined;
      lasts?: boolean;
      isPublic?: boolean;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.hint = options.hint;
    this.lasts = options.lasts ?? false;
    this.isPublic = options.isPublic ?? false;
  }
}

/** What was asked for can never be done as it was asked; nothing was. `hint` says what to ask for. */
export class ConfigError extends Error {
  override name = "ConfigError";
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** Why something about operators was refused; each has an exit code. */
export type RefusalCode = "operator_missing" | "account_missing" | "not_allowed" | "last_admin";

/** What cannot be done as things stand, or not by whoever asks; nothing was. */
export class PermanentError extends Error {
  override name = "PermanentError";
  readonly code: RefusalCode;
  readonly hint: string | undefined;

  constructor(code: RefusalCode, message: string, hint?: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}
