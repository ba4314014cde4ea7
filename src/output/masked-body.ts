import { mask } from "../contract/mask.ts";

const plainFields = new Set(["amount", "currency", "customer", "description", "metadata"]);
const plainCardFields = new Set(["exp_month", "exp_year", "holder_name"]);

/**
 * A request's body without what must not be seen. Only what is known to be harmless is shown: a
 * card number under a mistyped name stays hidden too.
 */
export function maskedBody(body: unknown): unknown {
  return hidden(body, (name, value) => {
    if (name === "card") return hidden(value, cardField);
    return plainFields.has(name) ? readable(value) : "…";
  });
}

/** A field that is shown; a card number or a key that was typed into it is not. */
function readable(value: unknown): unknown {
  if (typeof value === "string") return mask(value);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, text]) => [
      mask(name),
      name === "phone" ? text : readable(text), // as long as a card number, and no secret
    ]),
  );
}

function cardField(name: string, value: unknown): unknown {
  if (name === "number" && typeof value === "string") return `…${value.slice(-4)}`;
  return plainCardFields.has(name) ? readable(value) : "…";
}

function hidden(value: unknown, shown: (name: string, value: unknown) => unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "…";
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, shown(name, field)]),
  );
}
