import { type CommandError, type UnknownFields, usageError } from "../errors/command-error.ts";
import { redactField, redactSecret } from "./redact.ts";
import { suggest, findNearest } from "./suggest.ts";

/** Explains names in `--fields` that no field has, and suggests the nearest fields. */
export function explainUnknownFields(refused: UnknownFields): CommandError {
  const { typed, unknown, hint } = refused;
  const names = unknown.map(
    (name) => quoteName(name, refused) ?? `number ${typed.indexOf(name) + 1}`,
  );
  const meant = unknown.flatMap((name) => suggest(findNear(name, refused)) ?? []);
  return usageError(
    `Unknown field${names.length > 1 ? "s" : ""} in --fields: ${names.join(", ")}.`,
    [...meant, hint].join(" "),
  );
}

/** Repeats one short word, or a longer name if it is close to a field's, and so holds no secret. */
function quoteName(name: string, fields: Fields): string | undefined {
  return redactSecret(name) ?? (findNear(name, fields).length > 0 ? redactField(name) : undefined);
}

/** Finds the nearest fields; without any, those with a part near the name: `last4`, `metadta.order`. */
function findNear(name: string, { known, metadata }: Fields): string[] {
  const whole = findNearest(name, known);
  if (whole.length > 0) return whole;
  const [outer = ""] = name.split(".", 1);
  if (metadata !== undefined && outer !== name && findNearest(outer, ["metadata"]).length > 0) {
    const key = redactField(name) ? name.slice(outer.length + 1) : "KEY";
    return [`${metadata}.${key}`];
  }
  const meant = new Set(findNearest(name, known.flatMap(listEndings)));
  return known.filter((field) => listEndings(field).some((end) => meant.has(end)));
}

type Fields = Pick<UnknownFields, "known" | "metadata">;

/** The field and what follows each of its points: `data.card.last4`, `card.last4`, `last4`. */
function listEndings(field: string): string[] {
  return field.split(".").map((_, at, parts) => parts.slice(at).join("."));
}
