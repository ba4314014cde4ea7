import { type CommandError, type UnknownFields, usageError } from "../endings/command-error.ts";
import { harmlessField, harmlessValue } from "./harmless.ts";
import { didYouMean, nearest } from "./nearest.ts";

/** Names in `--fields` that a payment does not have: which, and what they may have been meant as. */
export function unknownFields({ typed, unknown, known, hint }: UnknownFields): CommandError {
  const names = unknown.map((name) => told(name, known) ?? `number ${typed.indexOf(name) + 1}`);
  const meant = unknown.flatMap((name) => didYouMean(near(name, known)) ?? []);
  return usageError(
    `Unknown field${names.length > 1 ? "s" : ""} in --fields: ${names.join(", ")}.`,
    [...meant, hint].join(" "),
  );
}

/** What hardly differs from a field's name holds no secret, but for that may be longer than a word. */
function told(name: string, known: readonly string[]): string | undefined {
  return harmlessValue(name) ?? (near(name, known).length > 0 ? harmlessField(name) : undefined);
}

/** The nearest fields; where none is, those of which one part is meant: `last4`, `metadta.order`. */
function near(name: string, known: readonly string[]): string[] {
  const whole = nearest(name, known);
  if (whole.length > 0) return whole;
  const [outer = ""] = name.split(".", 1);
  if (outer !== name && nearest(outer, ["metadata"]).length > 0) {
    return [`metadata.${harmlessField(name) ? inner(name) : "KEY"}`];
  }
  const meant = new Set(nearest(name, known.map(inner)));
  return known.filter((field) => meant.has(inner(field)));
}

/** What stands behind the first point, or all of a name that has none. */
function inner(field: string): string {
  return field.slice(field.indexOf(".") + 1);
}
