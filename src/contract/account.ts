import { isStorable, isWithin } from "../runtime/text.ts";
import { cardNumberPhrase, containsCardNumber } from "./card-in-text.ts";
import { maskKeys } from "./mask.ts";
import type { Version } from "./headers.ts";

/** The name of a new database's account. The checkout page does not show it. */
export const defaultAccountName = "Default";

/** An account as operators see it. `created` is in Unix seconds. */
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

/** The mistake in the name of a key or an operator, if any. */
export function findNameMistake(name: string): string | undefined {
  if (name.trim() === "") return "is empty";
  if (!isStorable(name) || !isWithin(name, 1, maxNameLength) || /\p{Cc}/u.test(name)) {
    return `must be 1 to ${maxNameLength} characters, without control characters`;
  }
  return findSecretMistake(name);
}

/** The mistake in an account's name, if any: customers must be able to read it, and not read it as another. */
export function findAccountNameMistake(name: string): string | undefined {
  if (/^[\s\p{Default_Ignorable_Code_Point}]*$/u.test(name)) return "is empty";
  const isReadable = isStorable(name) && !/[\p{Cc}\p{Bidi_Control}]/u.test(name);
  if (!isReadable || !isWithin(name, 1, maxAccountNameLength)) {
    return `must be 1 to ${maxAccountNameLength} characters, without control characters and those that turn the direction of writing`;
  }
  return findSecretMistake(name);
}

/** Names are shown to operators, in the audit log and in the log of requests. */
function findSecretMistake(name: string): string | undefined {
  if (maskKeys(name) !== name)
    return "must not hold an API key or a webhook secret: it would be stored";
  return containsCardNumber(name) ? cardNumberPhrase : undefined;
}
