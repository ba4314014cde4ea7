/** What was looked at: the secret that was given, or a part of the request. */
export type WebhookCheck = "secret" | "headers" | "timestamp" | "signature" | "body";

/**
 * A request is not to be believed: it is none of the service's, it has been changed or kept back, or it is
 * checked with another secret. Answer 400, and do nothing else; for a `secret` mend your own settings.
 */
export class WebhookVerificationError extends Error {
  override name = "WebhookVerificationError";
  readonly check: WebhookCheck;

  constructor(check: WebhookCheck, message: string) {
    super(message);
    this.check = check;
  }
}
