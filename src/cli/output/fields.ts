// A field of a record is named as in the API; one inside another with a point: `card.last4`.

/** A record with only some of its fields, in the order they are named. */
export function picked(record: object, fields: readonly string[]): object {
  const kept = new Map<string, unknown>();
  for (const field of fields) {
    const [name, inner] = parts(field);
    const value = own(record, name);
    if (inner === undefined || typeof value !== "object" || value === null) {
      kept.set(name, value);
      continue;
    }
    const rest = kept.get(name);
    if (rest === value) continue; // the whole of it has been asked for too
    if (Object.hasOwn(value, inner)) {
      kept.set(
        name,
        Object.fromEntries([...Object.entries(rest ?? {}), [inner, own(value, inner)]]),
      );
    } else kept.set(name, rest ?? {});
  }
  return Object.fromEntries(kept);
}

/** What a field holds; undefined where there is none. */
export function valueOf(record: object, field: string): unknown {
  const [name, inner] = parts(field);
  const value = own(record, name);
  if (inner === undefined) return value;
  return typeof value === "object" && value !== null ? own(value, inner) : undefined;
}

/** The fields of a record, those of the objects inside it one by one. */
export function fieldsOf(record: object): string[] {
  return Object.entries(record).flatMap(([name, value]: [string, unknown]) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.keys(value).map((inner) => `${name}.${inner}`)
      : [name],
  );
}

/** Only the first point separates: a key of metadata may contain others. */
function parts(field: string): [name: string, inner: string | undefined] {
  const at = field.indexOf(".");
  return at === -1 ? [field, undefined] : [field.slice(0, at), field.slice(at + 1)];
}

function own(record: object, name: string): unknown {
  return Object.hasOwn(record, name) ? (record as Record<string, unknown>)[name] : undefined;
}
