import { usageError } from "../errors/command-error.ts";
import type { Environment } from "./directories.ts";

/** A person's or an order's own text: the API says what of it may be empty, and what that means. */
const texts = new Set([
  "address",
  "card-holder",
  "city",
  "country",
  "description",
  "email",
  "first-name",
  "last-name",
  "metadata",
  "phone",
  "zip",
]);

/** A secret may be empty where nothing uses it; who uses it refuses it. */
const secret = /_(?:KEY|SECRET)$/;

/**
 * Refuses settings that came out empty, as an unset variable in a script leaves them: a default in their place
 * could be another database, or another network, than was meant.
 */
export function refuseBlankSettings(flags: Record<string, unknown>, env: Environment): void {
  // First, since a variable may stand behind a flag.
  for (const [name, value] of Object.entries(env)) {
    if (name.startsWith("PAYMENTS_") && !secret.test(name) && isBlank(value)) {
      throw blankVariable(name);
    }
  }
  for (const [name, value] of Object.entries(flags)) {
    if (texts.has(name) || ![value].flat().some(isBlank)) continue;
    throw usageError(`--${name} is empty.`, "Give it a value, or leave it out.");
  }
}

/** What is said of a variable that is set to nothing. */
export function blankVariable(name: string): Error {
  return usageError(`${name} is empty.`, "Set it to a value, or unset it.");
}

export function isBlank(value: unknown): boolean {
  return typeof value === "string" && value.trim() === "";
}
