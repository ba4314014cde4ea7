// What keeps the command, the client and the service from working, told by one class in all of them.

/**
 * What is needed cannot be used at the moment: a database, a card network, a port, a proxy. Trying
 * again may help; a write may have been done where its answer was lost on the way, so that it must be
 * tried again under the same idempotency key. `hint` says what else to do. `lasts`: nothing was done,
 * and trying again cannot help before somebody has put right what is wrong.
 */
export class Unavailable extends Error {
  override name = "Unavailable";
  readonly hint: string | undefined;
  readonly lasts: boolean;

  constructor(
    message: string,
    options: { cause?: unknown; hint?: string | undefined; lasts?: boolean } = {},
  ) {
    super(message, { cause: options.cause });
    this.hint = options.hint;
    this.lasts = options.lasts ?? false;
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
