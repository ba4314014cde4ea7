import { isJsonObject } from "../../runtime/json.ts";
import { mask } from "../../contract/mask.ts";

const plainFields = new Set(["amount", "currency"]);
const textFields = new Set([
  "customer",
  "description",
  "endpoint",
  "events",
  "metadata",
  "overlap_hours",
  "return_url",
  "status",
]);
const plainCardFields = new Set(["exp_month", "exp_year"]);

/**
 * A request's body without what must not be seen. Only what is known to be harmless is shown: a
 * card number under a mistyped name stays hidden too, and one in a text that may hold anything.
 */
export function maskBody(body: unknown): unknown {
  return hidden(body, (name, value) => {
    if (name === "card") return hidden(value, cardField);
    if (textFields.has(name)) return maskedTexts(value);
    return plainFields.has(name) ? value : "…";
  });
}

function cardField(name: string, value: unknown): unknown {
  if (name === "number" && typeof value === "string") return `…${value.slice(-4)}`;
  if (name === "holder_name") return maskedTexts(value);
  return plainCardFields.has(name) ? value : "…";
}

/** A phone number may be as long as a card's, and is shown. */
function maskedTexts(value: unknown): unknown {
  if (typeof value === "string") return mask(value);
  if (typeof value === "number") return mask(String(value)) === String(value) ? value : "…";
  if (Array.isArray(value)) return value.map(maskedTexts);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      mask(name),
      name === "phone" ? field : maskedTexts(field),
    ]),
  );
}

function hidden(value: unknown, shown: (name: string, value: unknown) => unknown): unknown {
  if (!isJsonObject(value)) return "…";
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [mask(name), shown(name, field)]),
  );
}
