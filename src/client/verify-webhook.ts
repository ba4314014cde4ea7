import { timingSafeEqual } from "node:crypto";
import { isAnyArrayBuffer, isDate } from "node:util/types";
import { Webhook } from "standardwebhooks";
import { event, testEvent, type WebhookEvent } from "../contract/event.ts";
import { eventTypes, testEventType } from "../contract/field-values.ts";
import { isJsonObject, tryParseJson } from "../runtime/text.ts";
import {
  checkOptions,
  isAtLeast,
  isText,
  unlessLeftOut,
  type OptionRules,
} from "../runtime/options.ts";

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
 * to fit. A test of the endpoint brings an event of type `webhook.test`, which has no payment. An event of a type that
 * this version does not know comes as it is: acknowledge it, and do nothing. Throws `WebhookVerificationError`, also for
 * what was signed more than five minutes from `now`: the present, or the time in Unix seconds of a sandbox whose clock
 * was moved on. A `now` in another form is a `TypeError`.
 */
export function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): WebhookEvent {
  checkOptions(options, verifyOptions, "verifyWebhook");
  const { now = Math.floor(Date.now() / 1000) } = options;
  const webhooks = [secret].flat().map(openWebhook);
  const signed = readSignedHeaders(headers);
  const text = decodeBody(body);
  const refusals = webhooks.map((webhook) => findRefusal(webhook, text, signed, now));
  if (!refusals.includes(undefined)) throw refusals[0] ?? secretError();
  return parseEvent(text);
}

type VerifyOptions = { now?: number | undefined };

/** In the year 5138 a time in seconds is as large; one in milliseconds was in 1973. */
const firstMilliseconds = 1e11;

const verifyOptions: OptionRules<VerifyOptions> = {
  now: unlessLeftOut((now, name) => {
    const mustBe = `${name} must be a number of Unix seconds`;
    if (isDate(now)) return `${mustBe}, not a Date: pass Math.floor(date.getTime() / 1000).`;
    if (!isAtLeast(0)(now)) return `${mustBe}, such as 1800000000.`;
    if (now < firstMilliseconds) return undefined;
    return `${mustBe}, not of milliseconds: pass Math.floor(milliseconds / 1000).`;
  }),
};

/** A secret that is read from a file or a setting easily brings spaces or the end of its line along. */
function openWebhook(secret: string): Webhook {
  try {
    return new Webhook(secret.trim());
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

function listValues(
  headers: WebhookHeaders | null | undefined,
  name: string,
): (string | null | undefined)[] {
  if (headers && isHeaders(headers)) return [headers.get(name)];
  const found = Object.entries(headers ?? {}).filter(([key]) => key.toLowerCase() === name);
  return found.flatMap(([, value]) => value);
}

/** Those of a library count, too. */
function isHeaders(headers: WebhookHeaders): headers is Headers {
  return typeof headers.get === "function";
}

/** The text that was signed, byte for byte: replacement characters would make it another. */
function decodeBody(body: string | Uint8Array | ArrayBuffer): string {
  try {
    const text = isText(body) ? body : decodeBytes(body);
    if (text?.isWellFormed()) return text;
  } catch {
    // Other bytes than those of UTF-8.
  }
  const fault =
    (body ?? undefined) === undefined ? "There is no body" : "The body is not UTF-8 text";
  const message = `${fault}. Pass it as it arrived, before anything parses it.`;
  throw new WebhookVerificationError("body", message);
}

/** Of what has no bytes, undefined: a TextDecoder would take undefined for an empty text. */
function decodeBytes(body: Uint8Array | ArrayBuffer): string | undefined {
  if (!isAnyArrayBuffer(body) && !ArrayBuffer.isView(body)) return undefined;
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
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
  if (
    event.safeParse(value).success ||
    testEvent.safeParse(value).success ||
    isUnknownEvent(value)
  ) {
    return value as WebhookEvent;
  }
  const message = "The body is signed, but not an event.";
  throw new WebhookVerificationError("body", message);
}

/** A later version of the service may have types that this one does not know. */
function isUnknownEvent(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { id, object, type } = value;
  if (!isText(id) || object !== "event" || !isText(type)) return false;
  return ![...eventTypes, testEventType].includes(type);
}
