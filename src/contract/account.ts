import { isStorable, isWithin } from "../runtime/text.ts";
import { cardNumberPhrase, containsCardNumber } from "./card-in-text.ts";
import type { Version } from "./headers.ts";

/** The name of the account that a new database has. Customers are not shown it. */
export const defaultAccountName = "Default";

/** What an operator sees of an account. `created` is in Unix seconds. */
export const accountFields = ["id", "object", "name", "default_version", "created"] as const;
export type Account = {
  id: string;
  object: "account";
  name: string;
  default_version: Version;
  created: number;
};

const maxNameLength = 200;
export const maxAccountNameLength = 80;

/** What is wrong with the name of a key or an operator, if anything: nobody would know it in a list by that. */
export function findNameMistake(name: string): string | undefined {
  if (name.trim() === "") return "is empty";
  if (!isStorable(name) || !isWithin(name, 1, maxNameLength) || /\p{Cc}/u.test(name)) {
    return `must be 1 to ${maxNameLength} characters, without control characters`;
  }
  return containsCardNumber(name) ? cardNumberPhrase : undefined;
}

/** The same of an account's name: customers could not read it, or would read it as another. */
export function findAccountNameMistake(name: string): string | undefined {
  if (/^[\s\p{Default_Ignorable_Code_Point}]*$/u.test(name)) return "is empty";
  const isReadable = isStorable(name) && !/[\p{Cc}\p{Bidi_Control}]/u.test(name);
  if (!isReadable || !isWithin(name, 1, maxAccountNameLength)) {
    return `must be 1 to ${maxAccountNameLength} characters, without control characters and those that turn the direction of writing`;
  }
  return containsCardNumber(name) ? cardNumberPhrase : undefined;
}
