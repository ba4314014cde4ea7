import { type CommandError, type UnknownFields, usageError } from "../errors/command-error.ts";
import { findNearest, redactField, redactSecret, suggest } from "./suggest.ts";

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

/** Finds the nearest fields, also by the end of their names: `last4`. */
function findNear(name: string, { known }: Fields): string[] {
  const meant = new Set(findNearest(name, known.flatMap(listEndings)));
  return known.filter((field) => listEndings(field).some((end) => meant.has(end)));
}

type Fields = Pick<UnknownFields, "known">;

/** The field and what follows each of its points: `data.card.last4`, `card.last4`, `last4`. */
function listEndings(field: string): string[] {
  return field.split(".").map((_, at, parts) => parts.slice(at).join("."));
}
