import { findAccountNameMistake, findNameMistake } from "../../contract/administration.ts";
import { containsCardNumber } from "../../contract/card-in-text.ts";
import { isLuhnValid } from "../../contract/card.ts";
import {
  type Version,
  findIdempotencyKeyMistake,
  findVersion,
  findVersionMistake,
} from "../../contract/headers.ts";
import { hideIdEnds, maxSearchLength, parseSearch } from "../../contract/search-words.ts";
import { isStorable, isWithin } from "../../runtime/text.ts";
import { UnknownFields, usageError } from "../errors/command-error.ts";
import { paymentResource } from "../output/payment-resource.ts";
import type { RecordName, ResourceName } from "../output/resource.ts";

const maxIdLength = 255;

/**
 * Refuses a text that cannot be an id of its kind before it becomes part of a URL: the user may have typed a
 * key or a card number, and proxies log URLs.
 */
export function checkId<Id extends string | undefined>(
  kind: ResourceName,
  id: Id,
  name: string,
  hint = `${kind.shownBy} shows the ids.`,
): Id {
  if (id === undefined || isIdOf(kind, id)) return id;
  if (id.trim() === "") throw usageError(`${name} is empty.`, hint);
  if (id.length > maxIdLength) {
    throw usageError(
      `${name} is longer than ${maxIdLength} characters, which no id of ${kind.one} is. Nothing was sent.`,
      hint,
    );
  }
  throw usageError(
    `${name} must be the id of ${kind.one}, such as ${kind.idForm}. Nothing was sent.`,
    hint,
  );
}

export function isIdOf({ idPattern }: ResourceName, text: string): boolean {
  return text.length <= maxIdLength && idPattern.test(text);
}

/** Refuses a key that the API would refuse, or a secret that it would store, before anything is sent. */
export function checkIdempotencyKey(key: string): string {
  const mistake = findIdempotencyKeyMistake(key);
  if (mistake !== undefined) throw usageError(`--idempotency-key ${mistake}.`);
  if (!containsKey(key)) return key;
  throw usageError("--idempotency-key must not hold an API key. Nothing was sent.");
}

/** Refuses a name that would not identify a key, an operator or a listener in a list. */
export function checkName(name: string, example: string): string {
  const mistake = findNameMistake(name);
  if (mistake === undefined) return name;
  throw usageError(`--name ${mistake}.`, `For example --name ${example}`);
}

/** Refuses what is no name or id of who did something; it may be a key or a card number. */
export function checkActor<Actor extends string | undefined>(actor: Actor): Actor {
  const isActor = actor === undefined || (!findNameMistake(actor) && !containsKey(actor));
  if (isActor) return actor;
  throw usageError("--actor must be the name or the id of an operator or a key.");
}

/** Refuses a merchant's name that customers could not read, or could take for another. */
export function checkAccountName(typed: string): string {
  const name = typed.trim();
  const mistake = findAccountNameMistake(name);
  if (mistake === undefined) return name;
  throw usageError(`--name ${mistake}.`, 'For example --name "Books & Co"');
}

/** Refuses what cannot be a card's number, and repeats nothing of it. */
export function checkChallengeCard(typed: string): string {
  const number = stripSeparators(typed);
  if (/^[0-9]{12,19}$/.test(number) && isLuhnValid(number)) return number;
  throw usageError(
    "--challenge-card must be a card number: 12 to 19 digits, the last of them the check digit. Nothing was sent.",
    "Give the test card whose bank asks the customer, at your bank's test system.",
  );
}

/** Removes the spaces and hyphens between the groups of a card number: the API accepts digits only. */
export function stripSeparators(text: string): string {
  return text.replaceAll(/[ -]/g, "");
}

export function checkVersion(date: string, name: string): Version {
  const mistake = findVersionMistake(date);
  if (mistake === undefined) return findVersion(date);
  throw usageError(`${name} ${mistake}.`);
}

/** Parses `--fields`. Errors: UnknownFields. */
export function parseFields(
  text: string | undefined,
  kind: RecordName = paymentResource,
): string[] | undefined {
  if (text === undefined) return undefined;
  const { one, metadata, fields } = kind;
  // The fields and the objects around them, whole objects before the fields inside them.
  const known = [...new Set(fields.flatMap(listParents))].toSorted(
    (a, b) => Number(a.includes(".")) - Number(b.includes(".")),
  );
  const typed = text.split(",").map((field) => field.trim());
  const unknown = typed.filter((field) => !known.includes(field) && !isInside(metadata, field));
  if (unknown.length === 0) return [...new Set(typed)];
  const more = metadata === undefined ? "" : `, and ${metadata}.KEY`;
  const hint = `There are ${known.join(", ")}${more}.`;
  throw new UnknownFields(one, { typed, unknown, known, metadata }, hint);
}

/** `data`, `data.object` and `data.object.id`. */
function listParents(field: string): string[] {
  return field.split(".").map((_, at, parts) => parts.slice(0, at + 1).join("."));
}

function isInside(metadata: string | undefined, field: string): boolean {
  const start = `${metadata}.`;
  return metadata !== undefined && field.startsWith(start) && field.length > start.length;
}

/** The text of a search as a service takes it, or why nothing is sent. */
export type SearchText =
  | { kind: "search"; search: string }
  | { kind: "blank" | "card_number" | "not_searchable" };

/** Checks a typed text without zod, since a prompt does so at each key. */
export function checkSearchText(typed: string): SearchText {
  const search = typed.trim();
  if (search === "") return { kind: "blank" };
  if (containsCardNumber(hideIdEnds(search))) return { kind: "card_number" };
  const isSearchable =
    isStorable(search) &&
    isWithin(search, 1, maxSearchLength) &&
    parseSearch(search) !== undefined &&
    !containsKey(search);
  return isSearchable ? { kind: "search", search } : { kind: "not_searchable" };
}

/** Whether a text holds a secret key, perhaps a mistyped one. A search becomes part of a URL, and proxies log URLs. */
export function containsKey(text: string): boolean {
  return /(?<![a-z0-9])(?:svc_(?:test|live)_sk|[sr]k_(?:test|live))_/i.test(text);
}

/** The shortest card number has as many; an incomplete or mistyped one may have fewer. */
const minCardDigits = 12;

/** The hint for a user who typed something else where an id is expected. */
export function describeSearch(typed: string): string {
  const text = checkSearchText(typed);
  const words = text.kind === "search" && mayBeRepeated(text.search) ? text.search : "WORDS";
  return `To find a payment by an e-mail, a name, a card's last four digits, an amount or an order: payments list --search "${words}"`;
}

/** Whether a text is no card number, even a mistyped one, and the same between a shell's double quotes. */
function mayBeRepeated(search: string): boolean {
  const digits = hideIdEnds(search).replaceAll(/[^0-9]/g, "");
  return digits.length < minCardDigits && /^[^"$`\\!\p{C}]+$/u.test(search);
}

/** The values of fixtures' variables, by their names. Error: usage. */
export function parseVars(pairs: readonly string[]): Map<string, string> {
  const vars = new Map<string, string>();
  for (const pair of pairs) {
    const [, key, value] = /^([A-Za-z0-9_-]+)=([^]*)$/.exec(pair) ?? [];
    if (key === undefined || value === undefined) {
      throw usageError("--var must be written KEY=VALUE, such as order=1001.");
    }
    if (vars.has(key)) throw usageError("--var names the same key twice.");
    vars.set(key, value);
  }
  return vars;
}
