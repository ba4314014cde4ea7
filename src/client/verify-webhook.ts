import { Webhook } from "standardwebhooks";
import { event, type Event } from "../contract/event.ts";
import { tryParseJson } from "../runtime/json.ts";

/** A `Headers`, or an object as Node has it: names in any case, values also in arrays. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

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

type SignedHeaders = Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>;

/**
 * The event that a webhook brings, once it is certain that the service has sent it (Standard Webhooks).
 * `body` is the request's as it arrived, unparsed; `secret` the endpoint's, or several of which one has
 * to fit. Throws `WebhookVerificationError`, also for what was signed more than five minutes from now.
 */
export function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
): Event {
  const webhooks = [secret].flat().map(webhookOf);
  const signed = signedHeaders(headers);
  const text = textOf(body);
  const refusals = webhooks.map((webhook) => refusalOf(webhook, text, signed));
  if (!refusals.includes(undefined)) throw refusals[0] ?? noSecret();
  return eventOf(text);
}

function webhookOf(secret: string): Webhook {
  try {
    return new Webhook(secret);
  } catch {
    throw noSecret();
  }
}

function noSecret(): WebhookVerificationError {
  const message = "This is no secret of a webhook endpoint: give it whole, from whsec_ on.";
  return new WebhookVerificationError("secret", message);
}

function signedHeaders(headers: WebhookHeaders): SignedHeaders {
  const signed = {
    "webhook-id": header(headers, "webhook-id"),
    "webhook-timestamp": header(headers, "webhook-timestamp"),
    "webhook-signature": header(headers, "webhook-signature"),
  };
  // The library reads the number that it begins with, and passes over the rest.
  if (/^[1-9]\d{0,11}$/.test(signed["webhook-timestamp"])) return signed;
  const message = "The header webhook-timestamp is no time in seconds: the webhook is not ours.";
  throw new WebhookVerificationError("timestamp", message);
}

function header(headers: WebhookHeaders, name: keyof SignedHeaders): string {
  const [value, ...more] = valuesOf(headers, name);
  if (value && more.length === 0) return value;
  const seen = value ? "is there more than once" : "is missing";
  const message = `The header ${name} ${seen}: give all headers of the request as they came.`;
  throw new WebhookVerificationError("headers", message);
}

function valuesOf(headers: WebhookHeaders, name: string): (string | null | undefined)[] {
  if (isHeaders(headers)) return [headers.get(name)];
  const found = Object.entries(headers).filter(([key]) => key.toLowerCase() === name);
  return found.flatMap(([, value]) => value);
}

/** Those of a library count, too. */
function isHeaders(headers: WebhookHeaders): headers is Headers {
  return typeof headers.get === "function";
}

/** The very text that was signed: with what bytes could be put in its place it would be another. */
function textOf(body: string | Uint8Array): string {
  try {
    const text =
      typeof body === "string"
        ? body
        : new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
    if (text.isWellFormed()) return text;
  } catch {
    // Other bytes than those of UTF-8, or something parsed.
  }
  const message = "The body is no text in UTF-8: give it as it arrived, before anything parses it.";
  throw new WebhookVerificationError("body", message);
}

function refusalOf(
  webhook: Webhook,
  text: string,
  headers: SignedHeaders,
): WebhookVerificationError | undefined {
  try {
    webhook.verify(text, headers, { jsonParse: false });
    return undefined;
  } catch (error) {
    return (error as Error).message.includes("timestamp")
      ? new WebhookVerificationError("timestamp", timestampMessage)
      : new WebhookVerificationError("signature", signatureMessage);
  }
}

const timestampMessage =
  "The webhook was signed more than five minutes from now: it was kept back, or the clock of this machine is wrong.";
const signatureMessage =
  "The signature is not of this secret, id, timestamp and body: is it the endpoint's secret, and the body as it arrived?";

function eventOf(text: string): Event {
  const value = tryParseJson(text);
  if (event.safeParse(value).success) return value as Event;
  const message = "The body is signed, and is no event that this version of payments-cli knows.";
  throw new WebhookVerificationError("body", message);
}
