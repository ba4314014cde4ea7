import { isJsonObject } from "../../runtime/json.ts";

// A field of a record is named as in the API; one inside another with a point: `card.last4`. What a key
// of metadata is called comes first: it may contain points.

/** A record with only some of its fields, in the order they are named. */
export function pickFields(record: object, fields: readonly string[]): object {
  /** By name: all of the field, or the fields inside it. */
  const picked = new Map<string, "all" | string[]>();
  for (const field of fields) {
    const [name, inner] = splitField(record, field);
    const before = picked.get(name) ?? [];
    picked.set(name, inner === undefined || before === "all" ? "all" : [...before, inner]);
  }
  const entries = [...picked].flatMap(([name, inner]): [string, unknown][] => {
    const value = getOwn(record, name);
    if (inner === "all" || value === null) return [[name, value]];
    return isJsonObject(value) ? [[name, pickFields(value, inner)]] : [];
  });
  return Object.fromEntries(entries);
}

/** What a field holds; undefined where there is none. */
export function getField(record: object, field: string): unknown {
  const [name, inner] = splitField(record, field);
  const value = getOwn(record, name);
  if (inner === undefined) return value;
  return isJsonObject(value) ? getField(value, inner) : undefined;
}

/** The fields of a record, those of the objects inside it one by one. */
export function listFields(record: object): string[] {
  return Object.entries(record).flatMap(([name, value]: [string, unknown]) =>
    isJsonObject(value) ? Object.keys(value).map((inner) => `${name}.${inner}`) : [name],
  );
}

function splitField(record: object, field: string): [name: string, inner: string | undefined] {
  const at = Object.hasOwn(record, field) ? -1 : field.indexOf(".");
  return at === -1 ? [field, undefined] : [field.slice(0, at), field.slice(at + 1)];
}

function getOwn(record: object, name: string): unknown {
  return Object.hasOwn(record, name) ? (record as Record<string, unknown>)[name] : undefined;
}
