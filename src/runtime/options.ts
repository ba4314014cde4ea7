import { findNearNames, isJsonObject } from "./text.ts";

// The check of what a program gives a public function: as flags are checked, before anything is done.

/** The mistake in an option's value as a sentence that names the option, or undefined. It never repeats the value. */
export type OptionRule = (value: unknown, name: string) => string | undefined;

/** A rule for every option that there is: with the type of the options the compiler finds one that is missing. */
export type OptionRules<Options> = Record<keyof Options, OptionRule>;

/** Throws a `TypeError` that says what is wrong with options, and what is right. `owner`: whose they are. */
export function checkOptions<Options>(
  options: unknown,
  rules: OptionRules<Options>,
  owner: string,
): void {
  const mistake = findOptionsMistake(options, rules, owner);
  if (mistake !== undefined) throw new TypeError(mistake);
}

function findOptionsMistake<Options>(
  options: unknown,
  rules: OptionRules<Options>,
  owner: string,
  prefix = "",
): string | undefined {
  if (!isJsonObject(options)) return `${owner} takes an object of options: ${listNames(rules)}.`;
  const unknown = Object.keys(options).find(
    (name) => !Object.hasOwn(rules, name) && options[name] !== undefined,
  );
  if (unknown !== undefined) return describeUnknown(unknown, rules, owner);
  for (const [name, rule] of Object.entries<OptionRule>(rules)) {
    const mistake = rule(options[name], prefix + name);
    if (mistake !== undefined) return mistake;
  }
  return undefined;
}

function describeUnknown(name: string, rules: object, owner: string): string {
  const start = name.slice(0, maxNameLength);
  const [near] = findNearNames(start, Object.keys(rules));
  const advice = near === undefined ? `It has ${listNames(rules)}.` : `Did you mean ${near}?`;
  return `${owner} has no option ${start}. ${advice}`;
}

const maxNameLength = 40;

function listNames(rules: object): string {
  return Object.keys(rules).join(", ");
}

/** An option that has to be given. `phrase` completes "must be". */
export function required(accepts: (value: unknown) => boolean, phrase: string): OptionRule {
  return (value, name) => (accepts(value) ? undefined : `${name} must be ${phrase}.`);
}

/** An option that may be left out, or undefined. */
export function optional(accepts: (value: unknown) => boolean, phrase: string): OptionRule {
  return unlessLeftOut(required(accepts, phrase));
}

export function unlessLeftOut(rule: OptionRule): OptionRule {
  return (value, name) => (value === undefined ? undefined : rule(value, name));
}

/** An option that is an object of options. */
export function nested<Options>(rules: OptionRules<Options>): OptionRule {
  return (value, name) => findOptionsMistake(value, rules, name, `${name}.`);
}

export const isText = (value: unknown): value is string => typeof value === "string";
export const isOneOf =
  (values: readonly unknown[]) =>
  (value: unknown): boolean =>
    values.includes(value);
export const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";

/** Infinity counts as a number without end, NaN as none. */
export const isAtLeast =
  (min: number) =>
  (value: unknown): value is number =>
    typeof value === "number" && value >= min;

export const isInteger =
  (min: number, max = Number.MAX_SAFE_INTEGER) =>
  (value: unknown): value is number =>
    Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max;

export const isHttpUrl = (value: unknown): value is string =>
  isText(value) && /^https?:$/.test(URL.parse(value)?.protocol ?? "");

/** Whether a value has some methods: of which class or realm it is says nothing. */
export function hasMethods(value: unknown, ...names: string[]): boolean {
  if (typeof value !== "object" || value === null) return false;
  return names.every((name) => typeof (value as Record<string, unknown>)[name] === "function");
}
