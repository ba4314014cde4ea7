// Errors that the command, the client and the service have in common.

/**
 * A database, a card network, a port or a proxy cannot be used at the moment. A retry may help; a write may have been
 * done where its response was lost, so it must be retried with the same idempotency key. `hint` says what else to do.
 * `isPublic`: API clients may read the message. `isPermanent`: nothing was done, and a retry cannot help before an
 * operator has corrected the cause.
 */
export class Unavailable extends Error {
  override name = "Unavailable";
  readonly hint: string | undefined;
  readonly isPermanent: boolean;
  readonly isPublic: boolean;

  constructor(
    message: string,
    options: {
      cause?: unknown;
      hint?: string | undefined;
      isPermanent?: boolean;
      isPublic?: boolean;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.hint = options.hint;
    this.isPermanent = options.isPermanent ?? false;
    this.isPublic = options.isPublic ?? false;
  }
}

/** A request or setting that can never work as it is; nothing was done. `hint` says what to change. */
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

/** Not possible in the present state, or not allowed to this operator; nothing was done. */
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

/** Whether a value is an error, also of a library that makes its own by a function: to `Error.isError` Fastify's are none. */
export function isErrorLike(value: unknown): value is Error & { code?: unknown } {
  return typeof value === "object" && value !== null && "name" in value && "message" in value;
}
