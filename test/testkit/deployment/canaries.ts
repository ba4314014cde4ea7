import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

// Secrets that occur nowhere else, so that any part of them in an output is a leak.

const secret = "Kq7ZvX2mWc9RbT4yHs8LdN3gJf6PpA5uEo1iBtCzVxM";
const digits = "4539578763621486";
export const canaryKey = `svc_live_sk_${secret}`;
export const canaryCard = { number: digits, exp_month: 12, exp_year: 2040, cvc: "8351" };

/** Malformed keys that a person may type, by their fault. */
export const wrongKeys: Record<string, string> = {
  cut: canaryKey.slice(0, 40),
  "with another prefix": `sk_live_${secret}`,
  "in quotes": `"${canaryKey}"`,
  "in capitals": canaryKey.toUpperCase(),
  "on two lines": `${canaryKey.slice(0, 30)}\n${canaryKey.slice(30)}`,
};

/** A card number as people write it. */
export const writtenCards: Record<string, string> = {
  plain: digits,
  "with spaces": groupDigits(" "),
  "with hyphens": groupDigits("-"),
  "with dots": groupDigits("."),
  "between letters": `VISA${digits}EUR`,
  "in JSON": JSON.stringify(canaryCard),
};

function groupDigits(separator: string): string {
  return digits.replaceAll(/(\d{4})(?!$)/g, `$1${separator}`);
}

const keyParts = listWindows(secret.slice(0, -4).toLowerCase(), 8);
const numberParts = listWindows(digits.slice(0, -4), 7);
/** The code as a word: as a part of an id or a time the digits mean nothing. */
const code = new RegExp(`(?<![\\w-])${canaryCard.cvc}(?![\\w-])`);

/**
 * The secrets that a text contains, in any case and however they are broken up, even in an address or in
 * JSON. The last four characters of a key and of a card may be printed.
 */
export function leaksIn(text: string): string[] {
  const dense = text.toLowerCase().replaceAll(/%[0-9a-f]{2}|\\n|[^0-9a-z]/g, "");
  return [
    ...(keyParts.some((part) => dense.includes(part)) ? ["the key"] : []),
    ...(numberParts.some((part) => dense.includes(part)) ? ["the card number"] : []),
    ...(code.test(text) ? ["the security code"] : []),
  ];
}

/** The files below a folder with a secret in their bytes or names. */
export function leakingFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => {
    const path = join(folder, name);
    const bytes = statSync(path).isFile() ? readFileSync(path, "latin1") : "";
    return leaksIn(`${name} ${bytes}`).length > 0;
  });
}

function listWindows(text: string, length: number): string[] {
  return Array.from({ length: text.length - length + 1 }, (_, at) => text.slice(at, at + length));
}
