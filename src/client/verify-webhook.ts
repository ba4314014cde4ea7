import { timingSafeEqual } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { event, testEvent, type WebhookEvent } from "../contract/event.ts";
import { tryParseJson } from "../runtime/json.ts";

/** A `Headers`, or an object as Node has it: names in any case, values also in arrays. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

/** The part that failed: the caller's secret, or a part of the request. */
export type WebhookCheck = "secret" | "headers" | "timestamp" | "signature" | "body";

/**
 * The request cannot be trusted: it is not from the service, was changed or delayed, or is checked with another secret.
 * Respond with 400, and do nothing else; for `secret` correct your own settings.
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
 * to fit. A test of the endpoint brings an event of type `webhook.test`, which has no payment. Throws
 * `WebhookVerificationError`, also for what was signed more than five minutes from `now`: the present, or the time in
 * Unix seconds of a sandbox whose clock was moved on.
 */
export function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { now = Math.floor(Date.now() / 1000) }: { now?: number } = {},
): WebhookEvent {
  const webhooks = [secret].flat().map(openWebhook);
  const signed = readSignedHeaders(headers);
  const text = decodeBody(body);
  const refusals = webhooks.map((webhook) => findRefusal(webhook, text, signed, now));
  if (!refusals.includes(undefined)) throw refusals[0] ?? secretError();
  return parseEvent(text);
}

function openWebhook(secret: string): Webhook {
  try {
    return new Webhook(secret);
  } catch {
    throw secretError();
  }
}

function secretError(): WebhookVerificationError {
  const message = "Not the secret of a webhook endpoint. Pass it whole, from whsec_ on.";
  return new WebhookVerificationError("secret", message);
}

function readSignedHeaders(headers: WebhookHeaders): SignedHeaders {
  const signed = {
    "webhook-id": readHeader(headers, "webhook-id"),
    "webhook-timestamp": readHeader(headers, "webhook-timestamp"),
    "webhook-signature": readHeader(headers, "webhook-signature"),
  };
  // The library reads the number that it begins with, and passes over the rest.
  if (/^[1-9]\d{0,11}$/.test(signed["webhook-timestamp"])) return signed;
  const message =
    "The header webhook-timestamp is not a time in seconds: the webhook is not from the service.";
  throw new WebhookVerificationError("timestamp", message);
}

function readHeader(headers: WebhookHeaders, name: keyof SignedHeaders): string {
  const [value, ...more] = listValues(headers, name);
  if (value && more.length === 0) return value;
  const fault = value ? "is there more than once" : "is missing";
  const message = `The header ${name} ${fault}. Pass all headers of the request as they arrived.`;
  throw new WebhookVerificationError("headers", message);
}

function listValues(headers: WebhookHeaders, name: string): (string | null | undefined)[] {
  if (isHeaders(headers)) return [headers.get(name)];
  const found = Object.entries(headers).filter(([key]) => key.toLowerCase() === name);
  return found.flatMap(([, value]) => value);
}

/** Those of a library count, too. */
function isHeaders(headers: WebhookHeaders): headers is Headers {
  return typeof headers.get === "function";
}

/** The text that was signed, byte for byte: replacement characters would make it another. */
function decodeBody(body: string | Uint8Array): string {
  try {
    const text =
      typeof body === "string"
        ? body
        : new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
    if (text.isWellFormed()) return text;
  } catch {
    // Other bytes than those of UTF-8, or something parsed.
  }
  const message = "The body is not UTF-8 text. Pass it as it arrived, before anything parses it.";
  throw new WebhookVerificationError("body", message);
}

function findRefusal(
  webhook: Webhook,
  text: string,
  headers: SignedHeaders,
  now: number,
): WebhookVerificationError | undefined {
  const { "webhook-id": id, "webhook-timestamp": timestamp } = headers;
  if (Math.abs(now - Number(timestamp)) > maxAgeS) {
    return new WebhookVerificationError("timestamp", timestampMessage);
  }
  // The library's own check of a webhook compares its time with the present, so the signatures are compared here.
  const expected = Buffer.from(webhook.sign(id, new Date(Number(timestamp) * 1000), text));
  const isSigned = headers["webhook-signature"].split(" ").some((signature) => {
    const given = Buffer.from(signature);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  return isSigned ? undefined : new WebhookVerificationError("signature", signatureMessage);
}

/** As Standard Webhooks recommends. */
const maxAgeS = 5 * 60;
const timestampMessage =
  "The webhook was signed more than five minutes before or after now: it was delayed, or this machine's clock is wrong.";
const signatureMessage =
  "The signature does not match this secret, id, timestamp and body. Use the endpoint's secret, and the body as it arrived.";

function parseEvent(text: string): WebhookEvent {
  const value = tryParseJson(text);
  if (event.safeParse(value).success || testEvent.safeParse(value).success) {
    return value as WebhookEvent;
  }
  const message = "The body is signed, but not an event that this version of payments-cli knows.";
  throw new WebhookVerificationError("body", message);
}
