import { isJsonObject } from "../runtime/json.ts";
import { containsCardNumber } from "./card-in-text.ts";
import { mask, maskKeys } from "./mask.ts";

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
 * stays hidden. Texts may hold anything, and are searched for card numbers.
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

/**
 * A text from outside, as it may be stored: without keys and secrets, and if it holds a card number, without any
 * number that long.
 */
export function maskForeignText(value: string): string {
  return holdsCardNumber(value) ? maskText(value) : maskKeys(value);
}

/** A text without secrets. It is hidden whole where a card number is left in it, such as 4242_4242_4242_4242. */
export function maskText(value: string): string {
  const masked = mask(value);
  return holdsCardNumber(masked) ? "…" : masked;
}

function holdsCardNumber(value: string): boolean {
  const spaced = value.normalize("NFKC").replaceAll(/[^\p{L}\p{N}\p{Pd}+,]+/gu, " ");
  return containsCardNumber(value) || containsCardNumber(spaced);
}

/** Masks texts and numbers. A phone number stays, though it may have as many digits, unless it is a card number. */
function maskTexts(value: unknown): unknown {
  if (typeof value === "string") return maskText(value);
  if (typeof value === "number") return mask(String(value)) === String(value) ? value : "…";
  if (Array.isArray(value)) return value.map(maskTexts);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      maskText(name),
      name === "phone" && typeof field === "string" && !holdsCardNumber(field)
        ? field
        : maskTexts(field),
    ]),
  );
}

function maskFields(value: unknown, maskField: (name: string, value: unknown) => unknown): unknown {
  if (!isJsonObject(value)) return "…";
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [maskText(name), maskField(name, field)]),
  );
}
