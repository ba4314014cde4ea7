import { countEdits } from "../../runtime/text.ts";
import {
  type CommandError,
  type FieldNames,
  type UnknownFields,
  usageError,
} from "../output/command-error.ts";
import type { ParsedTokens } from "../flags/checked-values.ts";
import { describeHelp, findCommandNamed, toCommandLine } from "./command-tree.ts";
import {
  type CommandDescription,
  helpFlag,
  listCommands,
  openValues,
  program,
  versionFlag,
} from "./describe.ts";

const maxSuggestions = 3;
/** A longer word is compared with nothing: no command, flag or value is as long. */
const maxLength = 40;

/** Finds the known words nearest to a mistyped one, the nearest first, at most three. */
export function findNearest(typed: string, known: readonly string[]): string[] {
  return [...new Set(known)]
    .flatMap((word) => {
      const far = measureDistance(typed, word);
      return far === undefined ? [] : [{ word, far }];
    })
    .toSorted((a, b) => a.far - b.far)
    .filter(({ far }, _, [first]) => far <= (first?.far ?? 0) + 1)
    .slice(0, maxSuggestions)
    .map(({ word }) => word);
}

/**
 * Finds the known names that end with the same word as the typed one (`customer-email` and `email`, `retries`
 * and `max-retries`), those with the fewest other words.
 */
export function findNearestByLastWord(typed: string, known: readonly string[]): string[] {
  if (typed.length > maxLength) return [];
  const words = splitWords(typed);
  return known
    .map((name) => ({ name, words: splitWords(name) }))
    .filter((each) => each.words.at(-1) === words.at(-1))
    .map((each) => ({ name: each.name, others: countUnshared(words, each.words) }))
    .toSorted((a, b) => a.others - b.others)
    .filter(({ others }, _, [first]) => others === first?.others)
    .slice(0, maxSuggestions)
    .map(({ name }) => name);
}

function splitWords(name: string): string[] {
  return name
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, "-")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
}

function countUnshared(one: readonly string[], other: readonly string[]): number {
  const shared = one.filter((word) => other.includes(word)).length;
  return one.length + other.length - 2 * shared;
}

/**
 * Counts the slips between two words; undefined if there is more than one in three letters. Two swapped
 * letters count as one slip, an unfinished word as one, another ending (`success` for `succeeded`) as two.
 */
function measureDistance(typed: string, known: string): number | undefined {
  if (typed.length < 2 || typed.length > maxLength) return undefined;
  const word = typed.toLowerCase();
  if (word === known) return 0;
  if (known.startsWith(word) || isSwapped(word, known)) return 1;
  const far = countEdits(word, known);
  if (far <= Math.max(word.length, known.length) / 3) return far;
  const start = word.slice(0, Math.ceil((word.length * 2) / 3));
  return word.length > 5 && known.startsWith(start) ? 2 : undefined;
}

function isSwapped(word: string, known: string): boolean {
  const at = [...word].findIndex((letter, index) => letter !== known[index]);
  const swapped = `${word.slice(0, at)}${word[at + 1] ?? ""}${word[at] ?? ""}${word.slice(at + 2)}`;
  return swapped === known;
}

/** `Did you mean a, b or c?`, or undefined where nothing is near. */
export function suggest(near: readonly string[]): string | undefined {
  return near.length === 0 ? undefined : `Did you mean ${joinWithOr(near)}?`;
}

/**
 * Suggests a value for one that the parser accepted, but the flag's own rule (`--expect must be …`) or the
 * API (param `currency`) refused.
 */
export function suggestValue(
  { message, param }: { message: string; param: string | null },
  typed: ParsedTokens,
): string | null {
  for (const [name, values] of Object.entries(openValues)) {
    if (param !== name && !message.startsWith(`--${name} must `)) continue;
    // The flag may be repeated, and its value may be several with commas.
    const given = typed
      .filter(({ flag }) => flag === name)
      .flatMap(({ input }) => input.split(","));
    const unknown = given.map((value) => value.trim()).filter((value) => !values.includes(value));
    const meant = new Set(unknown.flatMap((value) => findNearest(value, values)));
    return suggest([...meant].map((value) => `--${name} ${value}`)) ?? null;
  }
  return null;
}

/** `a`, `a or b`, `a, b or c`. */
export function joinWithOr(words: readonly string[]): string {
  return new Intl.ListFormat("en-GB", { type: "disjunction" }).format(words);
}

/** `a`, `a and b`, `a, b and c`. */
export function joinWithAnd(words: readonly string[]): string {
  return new Intl.ListFormat("en-GB").format(words);
}

/**
 * Repeats a value of a refused command line only if it can hardly be part of a secret. Users may paste a key,
 * a card number or a password anywhere, also mistyped, cut or with another prefix. One short word of small
 * letters is safe: keys have capitals, digits and underscores, cards have digits, addresses have slashes.
 */
export function redactSecret(value: string): string | undefined {
  return /^[a-z]{1,12}$/.test(value) ? value : undefined;
}

/**
 * Repeats the name of a flag, without the value after `=`: a few such words joined by hyphens that don't
 * begin like a key. After a single hyphen it repeats only the first letter, since the rest may be a value.
 */
export function redactFlag(word: string): string | undefined {
  const [name = ""] = word.split("=", 1);
  if (/^-[a-z]/i.test(name)) return name.slice(0, 2);
  if (/^--(?:svc|sk|pk|rk)-/.test(name)) return undefined;
  return /^--[a-z]{1,12}(?:-[a-z]{1,12}){0,3}$/.test(name) ? name : undefined;
}

/**
 * Repeats the name of a field: a few such words joined by underscores or points, with at most one digit at
 * the end. A password may look like that too, so the caller must know that the name is close to a field's.
 */
export function redactField(name: string): string | undefined {
  if (/^(?:svc|sk|pk|rk)[._]/.test(name)) return undefined;
  return /^[a-z]{1,12}(?:[._][a-z]{1,12}){0,3}\d?$/.test(name) ? name : undefined;
}

/** Explains names in `--fields` that no field has, and suggests the nearest fields. */
export function explainUnknownFields({ names: fields, hint }: UnknownFields): CommandError {
  const { typed, unknown } = fields;
  let after = -1;
  const names = unknown.map((name) => {
    after = typed.indexOf(name, after + 1);
    return quoteName(name, fields) ?? `number ${after + 1}`;
  });
  const meant = unknown.flatMap((name) => suggest(findNear(name, fields)) ?? []);
  return usageError(
    `Unknown field${names.length > 1 ? "s" : ""} in --fields: ${names.join(", ")}.`,
    [...meant, hint].join(" "),
  );
}

/** Repeats one short word, or a longer name if it is close to a field's, and so holds no secret. */
function quoteName(name: string, fields: FieldNames): string | undefined {
  return redactSecret(name) ?? (findNear(name, fields).length > 0 ? redactField(name) : undefined);
}

/** Finds the nearest fields; without any, those with a part near the name: `last4`, `metadta.order`. */
function findNear(name: string, { known, metadata }: FieldNames): string[] {
  const whole = findNearest(name, known);
  if (whole.length > 0) return whole;
  const [outer = ""] = name.split(".", 1);
  if (metadata !== undefined && outer !== name && findNearest(outer, ["metadata"]).length > 0) {
    const key = redactField(name) ? name.slice(outer.length + 1) : "KEY";
    return [`${metadata}.${key}`];
  }
  const meant = new Set(findNearest(name, known.flatMap(listEndings)));
  return known.filter((field) => listEndings(field).some((end) => meant.has(end)));
}

/** The field and what follows each of its points: `data.card.last4`, `card.last4`, `last4`. */
function listEndings(field: string): string[] {
  return field.split(".").map((_, at, parts) => parts.slice(at).join("."));
}

/** Explains a command line whose words name no command, or that begins with a flag. */
export function explainNoCommand(argv: readonly string[]): CommandError {
  const commands = listCommands();
  const line = toCommandLine(argv, commands);
  const { command, rest } = findCommandNamed(line, commands);
  if (rest.length > 0) return explainUnknownCommand(line, commands);
  const [typed = "", ...more] = argv.slice(line.length);
  if (command) {
    const others = more.filter((word) => word.startsWith("-"));
    return explainUnknownFlags([typed, ...others], command);
  }
  const name = redactFlag(typed);
  if (commands.some(({ flags }) => flags.some((flag) => `--${flag.name}` === name))) {
    return usageError(
      `${name} stands before the command.`,
      `The command comes first: ${program} <command> ${name}.`,
    );
  }
  return explainUnknownFlags([typed], { words: [], flags: [helpFlag, versionFlag] });
}

/** Explains words that name no command, and suggests the nearest one. */
export function explainUnknownCommand(
  line: readonly string[],
  commands: readonly CommandDescription[],
): CommandError {
  const { command, rest } = findCommandNamed(line, commands);
  const parent = [program, ...(command?.words ?? [])].join(" ");
  const [word = ""] = rest;
  return usageError(
    redactSecret(word) === undefined
      ? `There is no such command${command ? ` of ${parent}` : ""}.`
      : `Unknown command: ${parent} ${word}.`,
    suggest(findNearCommands(line, commands)) ??
      `${[program, "help", ...(command?.words ?? [])].join(" ")} lists the commands.`,
  );
}

/** Finds commands whose words are near the typed ones, or of which the user typed only the last word. */
function findNearCommands(
  line: readonly string[],
  commands: readonly CommandDescription[],
): string[] {
  const near = commands
    .map(({ words }) => {
      const slips = words.map((word, at) => measureDistance(line[at] ?? "", word) ?? Infinity);
      const isLastWord = words.length > 1 && words.at(-1) === line[0];
      return { words, far: isLastWord ? 1 : slips.reduce((sum, slip) => sum + slip) };
    })
    .filter(({ words, far }) => far < Infinity && !startsWith(line, words))
    .toSorted((a, b) => a.far - b.far);
  return near
    .filter(({ far }) => far <= (near[0]?.far ?? 0) + 1)
    .filter(
      ({ words }) => !near.some((each) => each.words !== words && startsWith(each.words, words)),
    )
    .slice(0, 3)
    .map(({ words }) => [program, ...words].join(" "));
}

function startsWith(line: readonly string[], words: readonly string[]): boolean {
  return words.every((word, at) => line[at] === word);
}

/** The hint where a key was typed. */
export const keyHint =
  "A key is never typed on the command line. Set PAYMENTS_API_KEY, name a file with --api-key-file, or store the key with payments login.";

/** Explains flags that a command doesn't have, and suggests the nearest ones. */
export function explainUnknownFlags(
  typed: readonly string[],
  { words, flags }: Pick<CommandDescription, "words" | "flags">,
): CommandError {
  const known = flags.map(({ name }) => name);
  const names = [...new Set(typed.flatMap((word) => redactFlag(word) ?? []))];
  const [hint] = typed.flatMap((word) => {
    const [name = ""] = word.replace(/^-+/, "").split("=", 1);
    if (/^(?:(?:api|secret)[-_]?)?(?:key|token)$/i.test(name)) return keyHint;
    const near = findNearest(name, known);
    const meant = near.length > 0 ? near : findNearestByLastWord(name, known);
    return suggest(meant.map((flag) => `--${flag}`)) ?? [];
  });
  return usageError(
    names.length === 0
      ? "Unknown flag."
      : `Unknown flag${names.length > 1 ? "s" : ""}: ${names.join(", ")}.`,
    hint ?? describeHelp(words),
  );
}
