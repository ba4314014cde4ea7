import type { ArgInput, FlagInput, Input, ParserOutput } from "@oclif/core/interfaces";
import { findAccountNameMistake, findNameMistake } from "../../contract/administration.ts";
import { containsCardNumber } from "../../contract/card-in-text.ts";
import { isLuhnValid } from "../../contract/card.ts";
import { mask } from "../../contract/mask.ts";
import {
  type Version,
  findIdempotencyKeyMistake,
  findVersion,
  findVersionMistake,
} from "../../contract/route.ts";
import { hideIdEnds, maxSearchLength, parseSearch } from "../../contract/search-words.ts";
import { isStorable, isWithin, quoteForShell } from "../../runtime/text.ts";
import { UnknownFields, WrongValue, usageError } from "../output/command-error.ts";
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
export function checkIdempotencyKey(key: string, flag = "--idempotency-key"): string {
  const mistake = findIdempotencyKeyMistake(key);
  if (mistake !== undefined) throw usageError(`${flag} ${mistake}.`);
  if (!containsKey(key)) return key;
  throw usageError(`${flag} must not hold an API key. Nothing was sent.`);
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

/**
 * The headers of `--header`, their names in small letters. Never repeats a value: it may be a secret. Error: usage, with
 * an example.
 */
export function parseHeaderFlags(typed: readonly string[], example: string): [string, string][] {
  return typed.map((each) => {
    // Visible ASCII, with spaces and tabs between: other characters arrive differently at each server.
    const [, name, value] =
      /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e]*)$/.exec(each) ?? [];
    if (name !== undefined && value !== undefined) return [name.toLowerCase(), value.trim()];
    throw usageError(
      "--header must be a name, a colon and a value in ASCII.",
      `For example --header '${example}'`,
    );
  });
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

type Values = Record<string, unknown>;

type Parsed = Pick<ParserOutput, "flags" | "raw" | "nonExistentFlags">;

type Declared = { flags: FlagInput; args: ArgInput };

/**
 * Parses a command line with oclif, and then checks the values by what the command declares: oclif's own errors do not
 * say whose value is wrong. Errors: WrongValue; else what oclif refuses.
 */
export async function parseTyped<F extends Values, B extends Values, A extends Values>(
  input: Input<F, B, A>,
  parse: (input: Input<F, B, A>) => Promise<ParserOutput<F, B, A>>,
): Promise<ParserOutput<F, B, A>> {
  const { flags = {}, args = {}, baseFlags } = input as Input<Values, Values, Values>;
  const open = { ...input, baseFlags, flags: takeAny(flags), args: takeAny(args) } as typeof input;
  const check = (parsed: Parsed) => assertValues({ flags, args }, parsed, process.env);
  const parsed = await parse(open).catch((error: { parse?: { output?: Parsed } }) => {
    // A wrong value comes before flags that are missing or contradict each other, and before too many words.
    if (error.parse?.output) check(error.parse.output);
    throw error;
  });
  check(parsed);
  return parsed;
}

/** The declarations without the few values that some are limited to. */
function takeAny(declared: Readonly<Record<string, object>>): Record<string, object> {
  const entries = Object.entries(declared).map(([name, each]) => {
    return [name, { ...each, options: undefined }] as const;
  });
  return Object.fromEntries(entries);
}

/** The few values that a flag or an argument takes; with a delimiter several of them. */
type Choices = { options?: readonly string[]; delimiter?: string };

function assertValues(declared: Declared, parsed: Parsed, env: Environment): void {
  const { raw, flags, nonExistentFlags } = parsed;
  for (const { of, setting, value, variable } of listGiven(declared, raw, env)) {
    // The value of an unknown flag is parsed as an argument: the flag is the real mistake.
    if (of === "arg" && nonExistentFlags.length > 0) continue;
    const { options, delimiter } = declared[`${of}s`][setting] as Choices;
    if (!options) continue;
    const typed =
      delimiter === undefined ? [value] : value.split(delimiter).map((each) => each.trim());
    const wrong = typed.find((each) => !options.includes(each));
    if (wrong !== undefined) throw new WrongValue({ of, setting, value: wrong, variable });
  }
  for (const [setting, { env: name, ...limits }] of Object.entries(declared.flags)) {
    const value: unknown = flags[setting];
    const limit = typeof value === "number" ? findLimit(value, limits as Limits) : undefined;
    if (limit === undefined) continue;
    const variable = isTyped(setting, raw) ? undefined : name;
    const rule = `an integer${limit}`;
    throw new WrongValue({ of: "flag", setting, value: String(value), variable, rule });
  }
}

type Given = Pick<WrongValue, "of" | "setting" | "value" | "variable">;

/** The arguments, the flags, and the variables in place of flags, each as it was given. */
function listGiven({ flags, args }: Declared, raw: Parsed["raw"], env: Environment): Given[] {
  const typed = raw.flatMap((token): Given[] => {
    const [of, setting] =
      token.type === "arg" ? (["arg", token.arg] as const) : (["flag", token.flag] as const);
    const isDeclared = setting !== undefined && Object.hasOwn(of === "arg" ? args : flags, setting);
    return isDeclared ? [{ of, setting, value: token.input, variable: undefined }] : [];
  });
  const fromVariables = Object.entries(flags).flatMap(
    ([setting, { env: variable = "" }]): Given[] => {
      const value = env[variable];
      if (!value || isTyped(setting, raw)) return [];
      return [{ of: "flag", setting, value, variable }];
    },
  );
  return [
    ...typed.filter(({ of }) => of === "arg"),
    ...typed.filter(({ of }) => of === "flag"),
    ...fromVariables,
  ];
}

/** The limits of a flag that takes an integer. */
export type Limits = { min?: number; max?: number };

/** The limit that a number breaks, as the end of a sentence; empty for what is no integer. */
function findLimit(value: number, { min, max }: Limits): string | undefined {
  if (Number.isNaN(value)) return "";
  if (min !== undefined && value < min) return ` of at least ${min}`;
  return max !== undefined && value > max ? ` of at most ${max}` : undefined;
}

/** The flags and arguments that oclif's parser has read. */
export type ParsedTokens = readonly { type: string; flag?: string; input: string }[];

export function isTyped(flag: string, raw: ParsedTokens): boolean {
  return raw.some((token) => token.type === "flag" && token.flag === flag);
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Names a setting as the user gave it: `--rate-limit`, or PAYMENTS_RATE_LIMIT where the variable gave the value. */
export type NameSetting = (flag: string) => string;

/** The variable of a flag: PAYMENTS_RATE_LIMIT of `rate-limit`. */
export function toVariable(flag: string): `PAYMENTS_${string}` {
  return `PAYMENTS_${flag.toUpperCase().replaceAll("-", "_")}`;
}

/** Tells flags that were typed from those that a variable gave, so that an error names what has to be changed. */
export function nameSettings(raw: ParsedTokens, env: Environment): NameSetting {
  return (flag) => (isTyped(flag, raw) || !env[toVariable(flag)] ? `--${flag}` : toVariable(flag));
}

/**
 * The hint for a variable that Kubernetes has set in every pod beside a Service, such as
 * PAYMENTS_PORT=tcp://10.0.0.1:8402 beside one named payments; undefined for any other. `instead`: what to give in its
 * place.
 */
export function explainServiceLink(
  variable: string,
  env: Environment,
  instead: string,
): string | undefined {
  if (!env[variable]?.startsWith("tcp://")) return undefined;
  const service = variable
    .replace(/_PORT$/, "")
    .toLowerCase()
    .replaceAll("_", "-");
  return `Kubernetes sets ${variable} beside a Service that is named ${service}: set enableServiceLinks to false for the pod, or give ${instead}.`;
}

/** The flags that choose the service, the mode or the account; the key itself is never in a flag. */
const targetFlags = new Set([
  "context",
  "mode",
  "base-url",
  "api-key-file",
  "database",
  "account",
  "allow-http",
]);

const switches = new Set(["allow-http", "yes", "json", "no-input"]);

/**
 * The flags of a command line by which another command reaches the same service in the same mode, for a shell: each
 * with a space before it. A mode or a context that only the environment names is repeated too, since it may have been set
 * for one command, as are the defaults: the mode of a command that does not take the user's, and the context where there
 * are several, since another one may be in use by then. What may hold a secret, or can be read only once, is left out.
 * `also`: further flags to repeat, by which the same command does the same again.
 */
export function repeatFlags(
  typed: ParsedTokens,
  env: Environment,
  more: {
    mode?: string | undefined;
    context?: string | undefined;
    also?: ReadonlySet<string> | undefined;
  } = {},
): string {
  const given = typed.flatMap(({ flag = "", input }) =>
    targetFlags.has(flag) || more.also?.has(flag) ? [[flag, input] as const] : [],
  );
  const isGiven = (name: string) => given.some(([flag]) => flag === name);
  const mode = env["PAYMENTS_MODE"] ?? more.mode;
  if (!isGiven("mode") && mode !== undefined) given.push(["mode", mode]);
  const context = isGiven("database") ? undefined : (env["PAYMENTS_CONTEXT"] ?? more.context);
  if (!isGiven("context") && context !== undefined) given.push(["context", context]);
  return given
    .filter(([name, value]) => value === mask(value) && !isUnrepeatable(name, value))
    .map(([name, value]) => ` --${name}${switches.has(name) ? "" : ` ${quoteForShell(value)}`}`)
    .join("");
}

/** Standard input, which is read only once, and a database's address with a password. */
function isUnrepeatable(name: string, value: string): boolean {
  if (name === "api-key-file") return value === "-";
  return name === "database" && /@|password/i.test(value);
}

/** Parses the address of a service, and drops the slash at its end. */
export function parseUrl(value: string, what: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (
    !url ||
    !/^https?:$/.test(url.protocol) ||
    [url.username, url.password, url.search, url.hash].some(Boolean)
  ) {
    throw usageError(
      `${what} must be an http or https address without user, query or fragment.`,
      "For example https://payments.example.com.",
    );
  }
  return url.href.replace(/\/+$/, "");
}
