import { getField } from "./record-fields.ts";
import { escapeControls, escapeInJson, toSafeJson } from "./safe-text.ts";

/** The first line of a CSV: the names of its columns. */
export function toCsvHeader(columns: readonly string[]): string {
  return columns.map(cell).join(",");
}

/** One record as a line of CSV (RFC 4180). Amounts and times are the API's integers. */
export function toCsvLine(record: object, columns: readonly string[]): string {
  return columns.map((column) => cell(getField(record, column))).join(",");
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
