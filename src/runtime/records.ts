import { escapeControls, escapeInJson, isJsonObject, toSafeJson } from "./text.ts";

// A field of a record is named as in the API; one inside another with a point: `card.last4`. A whole name
// takes precedence over the point, since a key of metadata may contain points.

/** Picks some fields of a record, in the given order. */
export function pickFields(record: object, fields: readonly string[]): object {
  /** By name: the whole field, or the fields inside it. */
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

/** The value of a field; undefined if the record has no such field. */
export function getField(record: object, field: string): unknown {
  const [name, inner] = splitField(record, field);
  const value = getOwn(record, name);
  if (inner === undefined) return value;
  return isJsonObject(value) ? getField(value, inner) : undefined;
}

/** Lists the fields of a record, and for an object inside it the fields of that. */
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

/** The first line of a CSV: the names of its columns. */
export function toCsvHeader(columns: readonly string[]): string {
  return toCsvRow(columns);
}

/** One record as a line of CSV (RFC 4180). Amounts and times are the API's integers. */
export function toCsvLine(record: object, columns: readonly string[]): string {
  return toCsvRow(columns.map((column) => getField(record, column)));
}

/** Values as a line of CSV. */
export function toCsvRow(values: readonly unknown[]): string {
  return values.map(cell).join(",");
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "string" ? neutralizeText(value) : neutralizeJson(value);
  return /[",;\t\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// Spreadsheets in many countries split a line at semicolons, and then quotes inside a cell no longer protect
// it. No formula may therefore begin after a separator inside a cell, nor after quotes there.
const formulaSigns = "=+\\-@＝＋－＠";
const formulaInText = new RegExp(
  `^(?=\\s*[${formulaSigns}])|(?<=[,;\\t\\n])(?=(?:[^\\S\\t\\n]|")*[${formulaSigns}])`,
  "gu",
);
const formulaInString = new RegExp(`(?<=[,;]\\s*)[${formulaSigns}]`, "gu");
const formulaInNextString = new RegExp(`(?<=[,;]\\s*|^"\\s*)[${formulaSigns}]`, "gu");

/**
 * Makes a text harmless for terminals and spreadsheets: a control character becomes a visible mark (line
 * breaks and tabs stay, inside quotes), and a formula gets an apostrophe before it.
 */
function neutralizeText(text: string): string {
  return text
    .replaceAll(/[^\n\t]+/g, (part) => escapeControls(part))
    .replaceAll(formulaInText, "'");
}

/** As `neutralizeText`, for other values: JSON escapes replace the signs of formulas, and the value stays the same. */
function neutralizeJson(value: unknown): string {
  const text = toSafeJson(value, { indented: false });
  return text.replaceAll(/"(?:[^"\\]|\\.)*"/g, (string, at: number) =>
    string.replaceAll(text[at - 1] === "," ? formulaInNextString : formulaInString, escapeInJson),
  );
}
