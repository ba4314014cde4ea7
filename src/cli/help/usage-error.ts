import type { FlagInput, ParserOutput } from "@oclif/core/interfaces";
import { type CommandError, usageError, WrongValue } from "../output/command-error.ts";
import { explainServiceLink, type Environment } from "../flags/checked-values.ts";
import { describeHelp, formatUsage, formatValue, listSubcommands } from "./command-tree.ts";
import {
  helpFlag,
  listCommands,
  program,
  type CommandDescription,
  type FlagDescription,
} from "./describe.ts";
import {
  explainUnknownCommand,
  explainUnknownFlags,
  findNearest,
  joinWithAnd,
  joinWithOr,
  keyHint,
  redactSecret,
  suggest,
} from "./suggest.ts";

/** An error of oclif's parser. Its message is not used: it repeats the command line, perhaps with a key or a card. */
export type ParserError = Error & {
  oclif: object;
  /** The flags that do not exist. */
  flags?: string[];
  /** The surplus words, or the missing arguments. */
  args?: (string | { name: string })[];
  /** Set where the whole command line was parsed. */
  parse?: Parse;
};

/** The rules of a command's flags, and the given ones. */
type Parse = {
  input: { flags: FlagInput };
  output: Pick<ParserOutput, "flags" | "metadata">;
};

/** The command that a command line names, and the words after its name. */
export type NamedCommand = { id: string; rest: readonly string[] };

/** Explains why a command line is refused, and repeats nothing that may be secret. */
export function explainUsage(
  error: ParserError | WrongValue,
  { id, rest }: NamedCommand,
  env: Environment,
): CommandError {
  const all = listCommands();
  const command = all.find(({ words }) => words.join(":") === id) ?? describeUnbuilt(id);
  const usage = `Usage: ${formatUsage(command, all)}`;
  if (error instanceof WrongValue) return explainWrongValue(error, command, usage, env);
  if (error.flags) return explainUnknownFlags(error.flags, command);
  const [arg] = error.args ?? [];
  if (typeof arg === "object") {
    const { summary = "" } = command.arguments.find(({ name }) => name === arg.name) ?? {};
    return usageError(`Missing <${arg.name}>: ${uncapitalize(summary)}`, usage);
  }
  if (arg !== undefined) return explainSurplus(arg, rest, command, usage);
  const refused = error.parse
    ? explainCombination(error.parse, command.words, usage)
    : explainStop(rest, command);
  return refused ?? usageError("This command line is not understood.", usage);
}

/** A command that the built manifest does not have yet. */
function describeUnbuilt(id: string): CommandDescription {
  const empty = { summary: "", description: undefined, arguments: [], flags: [], examples: [] };
  return { words: id.split(":"), ...empty, facts: undefined };
}

function explainWrongValue(
  { of, setting, value, variable, rule }: WrongValue,
  { words, arguments: args, flags }: CommandDescription,
  usage: string,
  env: Environment,
): CommandError {
  if (of === "arg") {
    const { values = [] } = args.find(({ name }) => name === setting) ?? {};
    const near = findNearest(value, values);
    return usageError(`<${setting}> must be ${joinWithOr(values)}.`, suggest(near) ?? usage);
  }
  const name = `--${setting}`;
  const flag = flags.find((each) => each.name === setting) ?? helpFlag;
  const mustBe = `must be ${rule ?? joinWithOr(flag.values)}.`;
  if (variable !== undefined) {
    return usageError(`${variable} ${mustBe}`, describeVariableValue(variable, flag, env));
  }
  if (rule !== undefined) return usageError(`${name} ${mustBe}`, describeFlagValue(flag, words));
  if (setting === "test-card" && /^[\d -]+$/.test(value)) {
    return usageError(
      "--test-card takes the name of a test card.",
      "--card-number takes a number, in test mode; payments test-cards shows each with its name.",
    );
  }
  const near = findNearest(value, flag.values).map((each) => `${name} ${each}`);
  return usageError(`${name} ${mustBe}`, suggest(near) ?? describeHelp(words));
}

/** Explains a word after all arguments of the command. */
function explainSurplus(
  word: string,
  rest: readonly string[],
  { words, arguments: declared, flags }: CommandDescription,
  usage: string,
): CommandError {
  const switches = flags.filter(({ valueName }) => valueName === undefined);
  const valued = rest.flatMap(
    (each) => switches.find(({ name }) => each.startsWith(`--${name}=`)) ?? [],
  );
  if (valued[0]) {
    const name = `--${valued[0].name}`;
    return usageError(`${name} takes no value.`, `Write ${name} alone, or leave it out.`);
  }
  const all = listCommands();
  if (declared.length === 0 && listSubcommands(words, all).length > 0) {
    return explainUnknownCommand([...words, word], all);
  }
  const safe = redactSecret(word);
  const meant = flags.find(({ values }) => values.includes(word));
  const isKey = /(?:sk|svc|key)[-_]/i.test(word);
  return usageError(
    safe === undefined
      ? `Unexpected argument after ${[program, ...words].join(" ")}.`
      : `Unexpected argument: ${safe}.`,
    isKey ? keyHint : meant ? `Did you mean --${meant.name} ${word}?` : usage,
  );
}

/**
 * Explains why oclif stopped before the end: a flag without its value, or one that stands twice. Its error does not name
 * the flag, but a word that is one is never another flag's value.
 */
function explainStop(
  rest: readonly string[],
  { words, flags }: CommandDescription,
): CommandError | undefined {
  const find = (word: string) =>
    flags.find(({ name, char }) =>
      word.startsWith("--")
        ? word.slice(2).split("=", 1)[0] === name
        : word.startsWith("-") && word[1] === char,
    );
  const seen = new Set<FlagDescription>();
  const end = rest.indexOf("--");
  for (const [at, word] of rest.slice(0, end === -1 ? undefined : end).entries()) {
    const flag = find(word);
    if (flag?.valueName === undefined) continue;
    const name = `--${flag.name}`;
    if (!flag.repeatable && seen.has(flag)) {
      return usageError(`${name} can be given only once.`, "Leave the others out.");
    }
    seen.add(flag);
    const next = rest[at + 1];
    const isAlone = word === name || word === `-${flag.char}`;
    if (isAlone && (next === undefined || (find(next) && !/^--[^=]+=/.test(next)))) {
      return usageError(`${name} needs a value.`, describeFlagValue(flag, words));
    }
  }
  return undefined;
}

/** Explains flags that are missing, or don't go together. */
function explainCombination(
  { input, output }: Parse,
  words: readonly string[],
  usage: string,
): CommandError {
  const isGiven = (name: string) =>
    output.flags[name] !== undefined && !output.metadata.flags[name]?.setFromDefault;
  const flags = Object.entries(input.flags);
  const missing = flags.filter(([name, { required }]) => required && !isGiven(name));
  if (missing.length > 0) {
    return usageError(`Missing ${joinWithAnd(missing.map(([name]) => `--${name}`))}.`, usage);
  }
  const given = flags.filter(([name]) => isGiven(name));
  for (const [name, flag] of given) {
    const other = toNames(flag.exclusive).find(isGiven);
    if (other !== undefined) {
      const hint = name === "spreadsheet" && other === "fields" ? sheetHint : "Give one of them.";
      return usageError(`--${other} and --${name} contradict each other.`, hint);
    }
  }
  for (const [name, flag] of given) {
    const anyOf = flag.relationships?.find((relation) => !toNames(relation.flags).some(isGiven));
    const needed = toNames(flag.dependsOn).every(isGiven) ? [] : toNames(flag.dependsOn);
    const list =
      needed.length > 0 ? joinWithAnd(toFlags(needed)) : joinWithOr(toFlags(toNames(anyOf?.flags)));
    if (list !== "") return usageError(`--${name} needs ${list} too.`, describeHelp(words));
  }
  return usageError("These flags don't go together.", describeHelp(words));
}

const sheetHint =
  "A spreadsheet has all columns: leave --fields out, or print some of the API's values with -o csv --fields id,amount.";

function toNames(flags: readonly (string | { name: string })[] = []): string[] {
  return flags.map((flag) => (typeof flag === "string" ? flag : flag.name));
}

function toFlags(names: readonly string[]): string[] {
  return names.map((name) => `--${name}`);
}

/** The hint how to set a variable. */
function describeVariableValue(variable: string, flag: FlagDescription, env: Environment): string {
  const link = explainServiceLink(variable, env, `--${flag.name}`);
  if (link !== undefined) return link;
  if (flag.default !== undefined) return `For example ${variable}=${flag.default}`;
  return `It stands for --${flag.name} ${formatValue(flag)}: ${uncapitalize(flag.summary)}`;
}

/** The hint how to write a flag's value. */
function describeFlagValue(flag: FlagDescription, words: readonly string[]): string {
  if (flag.values.length > 0) return `Give ${joinWithOr(flag.values)}.`;
  if (flag.default !== undefined) return `For example --${flag.name} ${flag.default}`;
  if (flag.valueName === "value") return describeHelp(words);
  return `Write --${flag.name} ${formatValue(flag)}: ${uncapitalize(flag.summary)}`;
}

/** Makes a summary fit the end of another sentence. */
function uncapitalize(text: string): string {
  return /^[A-Z](?:[a-z]| )/.test(text) ? text.slice(0, 1).toLowerCase() + text.slice(1) : text;
}
