import { isJsonObject } from "../runtime/json.ts";
import { isCardNumber } from "./card-in-text.ts";
import { mask } from "./mask.ts";

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
