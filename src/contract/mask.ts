import { isErrorLike } from "../runtime/failures.ts";
import { isJsonObject } from "../runtime/text.ts";
import { isCardNumber, maskCardNumbers } from "./card-in-text.ts";

const keys = /(svc_(?:test|live)_sk_|\b[spr]k_(?:test|live)_)[A-Za-z0-9_-]*/gi;
const webhookSecrets = /(whsec_)[A-Za-z0-9+/=]*/gi;

/** A text without secrets: API keys, also in capitals or of another make, webhook secrets, and card numbers. */
export function mask(value: string): string {
  return maskCardNumbers(maskKeys(value));
}

/** A text without API keys and webhook secrets. */
export function maskKeys(value: string): string {
  return value.replace(keys, "$1…").replace(webhookSecrets, "$1…");
}

/** Of the addresses of payment pages, also in JSON that escapes slashes, and in a query. One may be cut short. */
const pageTokens = /((?:\/|%2f)pay(?:\\*\/|%2f))[a-z0-9]{16,}/gi;

/**
 * What a receiver of webhooks answers, without secrets. It may repeat what it was sent: with the address of its page
 * anyone can pay or cancel a payment.
 */
export function maskAnswer(value: string): string {
  return mask(value).replace(pageTokens, "$1…");
}

const maxCauses = 5;

type LoggedError = { type: string; message: string; stack: string; cause?: LoggedError };

/**
 * An error for the log, with its causes. An error may quote or carry a request, so its texts are masked and
 * its other properties left out.
 */
export function toMaskedError(error: unknown, depth = 0): LoggedError {
  const { name, message, stack, cause } = isErrorLike(error) ? error : new Error(String(error));
  const hasCause = isErrorLike(cause) && depth < maxCauses;
  return {
    type: name,
    message: mask(message),
    stack: maskStack(stack ?? ""),
    ...(hasCause && { cause: toMaskedError(cause, depth + 1) }),
  };
}

/** Each place of the stack is masked by itself: one may be a whole program in a `data:` URL, which hides no other. */
function maskStack(stack: string): string {
  return stack
    .split(/(?=\n {4}at )/)
    .map(mask)
    .join("");
}

const shownFields = new Set([
  "amount",
  "currency",
  "customer",
  "description",
  "endpoint",
  "events",
  "expires_in",
  "metadata",
  "overlap_hours",
  "return_url",
  "status",
]);
const shownCardFields = new Set(["exp_month", "exp_year", "holder_name"]);

/**
 * Masks a request's body except for fields known to be harmless, so that a card number under a mistyped name
 * stays hidden. Texts and numbers may hold anything, and are searched for card numbers.
 */
export function maskBody(body: unknown): unknown {
  return maskFields(body, (name, value) => {
    if (name === "card") return maskFields(value, maskCardField);
    return shownFields.has(name) ? maskTexts(value) : "…";
  });
}

function maskCardField(name: string, value: unknown): unknown {
  if (name === "number" && typeof value === "string") return `…${value.slice(-4)}`;
  return shownCardFields.has(name) ? maskTexts(value) : "…";
}

/** Masks texts, and numbers as the texts that they are. */
export function maskTexts(value: unknown): unknown {
  if (typeof value === "string") return mask(value);
  if (typeof value === "number") return isCardNumber(value) ? "…" : value;
  if (Array.isArray(value)) return value.map(maskTexts);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [mask(name), maskTexts(field)]),
  );
}

function maskFields(value: unknown, maskField: (name: string, value: unknown) => unknown): unknown {
  if (!isJsonObject(value)) return "…";
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [mask(name), maskField(name, field)]),
  );
}
