import { holdsCardNumber } from "../../contract/card.ts";
import {
  idempotencyKeyMistake,
  versionMistake,
  versionOn,
  type Version,
} from "../../contract/headers.ts";
import { paymentFields } from "../../contract/glance.ts";
import { paymentIdPattern } from "../../contract/payment-values.ts";
import { cardNumberPhrase, isKept, isWithin } from "../../contract/text.ts";
import { UnknownFields, usageError } from "../endings/command-error.ts";

const longestId = 255;

/**
 * Refuses what cannot be a payment's id, before it becomes part of an address: those are logged wherever
 * they pass, and a key or a card number may have been typed.
 */
export function checkedPaymentId<Id extends string | undefined>(id: Id, name: string): Id {
  if (id === undefined || isPaymentId(id)) return id;
  if (id.trim() === "") throw usageError(`${name} is empty.`, "payments list shows the ids.");
  if (id.length > longestId) {
    throw usageError(
      `${name} is longer than ${longestId} characters, which no id of a payment is. Nothing was sent.`,
      "payments list shows the ids.",
    );
  }
  throw usageError(
    `${name} must be the id of a payment, such as pay_0199…. Nothing was sent.`,
    "payments list shows the ids.",
  );
}

/** Whether a text can be a payment's id. */
export function isPaymentId(text: string): boolean {
  return text.length <= longestId && paymentIdPattern.test(text);
}

/** Refuses what the API would refuse before anything is sent. */
export function checkedIdempotencyKey(key: string): string {
  const mistake = idempotencyKeyMistake(key);
  if (mistake === undefined) return key;
  throw usageError(`--idempotency-key ${mistake}.`);
}

/** Refuses a key's name by which nobody would know it in a list. */
export function checkedKeyName(name: string): string {
  if (name.trim() === "") throw usageError("--name is empty.", "For example --name ci");
  if (!isKept(name) || !isWithin(name, 1, 200) || /\p{Cc}/u.test(name)) {
    throw usageError("--name must be 1 to 200 characters, without control characters.");
  }
  if (!holdsCardNumber(name)) return name;
  throw usageError(`--name ${cardNumberPhrase}.`);
}

/** Refuses a merchant's name that customers could not read, or that would read as another. */
export function checkedAccountName(typed: string): string {
  const name = typed.trim();
  if (/^[\s\p{Default_Ignorable_Code_Point}]*$/u.test(name)) {
    throw usageError("--name is empty.", 'For example --name "Books & Co"');
  }
  if (!isKept(name) || !isWithin(name, 1, 80) || /[\p{Cc}\p{Bidi_Control}]/u.test(name)) {
    throw usageError(
      "--name must be 1 to 80 characters, without control characters and those that turn the direction of writing.",
    );
  }
  if (!holdsCardNumber(name)) return name;
  throw usageError(`--name ${cardNumberPhrase}.`);
}

/** The version of the API that a date pins. */
export function checkedVersion(date: string, name: string): Version {
  const mistake = versionMistake(date);
  if (mistake === undefined) return versionOn(date);
  throw usageError(`${name} ${mistake}.`);
}

/** The fields of a payment that `--fields` names, in its order. */
export function checkedFields(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined;
  const typed = text.split(",").map((field) => field.trim());
  const unknown = typed.filter((field) => !isField(field));
  if (unknown.length === 0) return [...new Set(typed)];
  const known = [...plainFields, ...paymentFields.filter((field) => field.includes("."))];
  throw new UnknownFields({ typed, unknown, known });
}

const plainFields = [...new Set(paymentFields.map((field) => field.split(".", 1)[0] ?? ""))];

function isField(field: string): boolean {
  return (
    plainFields.includes(field) || paymentFields.includes(field) || /^metadata\../s.test(field)
  );
}
