// What keeps the command, the client and the service from working, told by one class in all of them.

/**
 * What is needed cannot be used at the moment: a database, a card network, a port, a proxy. Trying
 * again may help; a write may have been done where its answer was lost on the way, so that it must be
 * tried again under the same idempotency key. `hint` says what else to do.
 */
export class Unavailable extends Error {
  override name = "Unavailable";
  readonly hint: string | undefined;

  constructor(message: string, options: { cause?: unknown; hint?: string } = {}) {
    super(message, { cause: options.cause });
    this.hint = options.hint;
  }
}

/** What was asked for can never be done as it was asked; nothing was. `hint` says what to ask for. */
export class Misuse extends Error {
  override name = "Misuse";
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}
