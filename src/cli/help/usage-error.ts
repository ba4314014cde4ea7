import { type CommandError, FlagError, usageError } from "../errors/command-error.ts";
import type { Environment } from "../parse/setting-names.ts";
import {
  describeHelp,
  findCommandNamed,
  formatUsage,
  formatValue,
  listSubcommands,
  toCommandLine,
} from "./command-tree.ts";
import {
  helpFlag,
  listCommands,
  openValues,
  program,
  versionFlag,
  type ArgumentDescription,
  type CommandDescription,
  type FlagDescription,
} from "./describe.ts";
import { explainCombination, type ParserState } from "./flag-combination.ts";
import {
  findNearest,
  findNearestByLastWord,
  joinWithOr,
  redactFlag,
  redactSecret,
  suggest,
} from "./suggest.ts";
import { explainUnknownCommand } from "./unknown-command.ts";

/** An error of oclif's parser. Its message is not used: it repeats the command line, perhaps with a key or a card. */
export type ParserError = Error & {
  oclif: object;
  /** The flags that do not exist. */
  flags?: string[];
  /** The surplus words, or the missing arguments. */
  args?: (string | { name: string })[];
  /** Set where the given flags do not go together. */
  parse?: ParserState | Record<string, never>;
};

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

/** Explains what the parser refused, and repeats nothing that may be secret. */
export function explainUsage(
  error: ParserError,
  argv: readonly string[],
  env: Environment,
): CommandError {
  const commands = listCommands();
  const line = toCommandLine(argv, commands);
  const { command } = findCommandNamed(line, commands);
  if (!command) return explainUnknownCommand(line, commands);
  const usage = `Usage: ${formatUsage(command, commands)}`;
  const wordCount = argv[0] === command.words.join(":") ? 1 : command.words.length;
  const typed = readTyped(argv.slice(wordCount), command);
  if (error.flags) return explainUnknownFlags(error.flags, command);
  if (error.args) return explainArguments(error.args, typed, command, usage);
  if (error instanceof FlagError) {
    const flag = command.flags.find(({ name }) => name === error.flag) ?? helpFlag;
    return usageError(
      error.reason,
      error.variable === undefined
        ? describeFlagValue(flag, command.words)
        : describeVariableValue(error.variable, flag, env),
    );
  }
  if (error.parse?.input) return explainCombination(error.parse as ParserState, command, usage);
  return (
    explainValue(typed, command, usage) ??
    explainVariable(typed, command, env) ??
    usageError("This command line is not understood.", usage)
  );
}

type Typed = {
  flags: { flag: FlagDescription; value: string | undefined }[];
  unknown: string[];
  words: string[];
};

/** Reads the words after a command as oclif's parser does: the parser does not report where it stopped. */
function readTyped(argv: readonly string[], { flags }: CommandDescription): Typed {
  const typed: Typed = { flags: [], unknown: [], words: [] };
  const find = (word: string) =>
    flags.find(({ name, char }) =>
      word.startsWith("--") ? word.slice(2) === name : word.startsWith("-") && word[1] === char,
    );
  const left = [...argv];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    const [start, joined] = splitJoined(word);
    const flag = find(start);
    if (word === "--") typed.words.push(...left.splice(0));
    else if (!flag) typed[word.startsWith("-") ? "unknown" : "words"].push(word);
    else if (flag.valueName === undefined || joined !== undefined) {
      typed.flags.push({ flag, value: joined });
    } else {
      const hasValue = left[0] !== undefined && !find(left[0]);
      typed.flags.push({ flag, value: hasValue ? left.shift() : undefined });
    }
  }
  return typed;
}

/** A flag and the value joined to it: `--limit=5`, `-ojson`, `-o=json`. */
function splitJoined(word: string): [flag: string, value?: string] {
  const [, long, longValue] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
  if (long !== undefined && longValue !== undefined) return [long, longValue];
  const [, short, shortValue] = /^(-[^-])=?(.+)$/s.exec(word) ?? [];
  return short !== undefined && shortValue !== undefined ? [short, shortValue] : [word];
}

const keyHint =
  "A key is never typed on the command line. Set PAYMENTS_API_KEY, name a file with --api-key-file, or store the key with payments login.";

/** Explains flags that a command doesn't have, and suggests the nearest ones. */
function explainUnknownFlags(
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

/** Explains surplus arguments, which are words, or missing ones, which are the command's declarations. */
function explainArguments(
  [first = ""]: readonly (string | { name: string })[],
  typed: Typed,
  { words, arguments: declared, flags }: CommandDescription,
  usage: string,
): CommandError {
  if (typeof first === "object") {
    const { summary = "" } = declared.find(({ name }) => name === first.name) ?? {};
    return usageError(`Missing <${first.name}>: ${uncapitalize(summary)}`, usage);
  }
  const valued = typed.flags.find(
    ({ flag, value }) => flag.valueName === undefined && value !== undefined,
  );
  if (valued) {
    const name = `--${valued.flag.name}`;
    return usageError(`${name} takes no value.`, `Write ${name} alone, or leave it out.`);
  }
  const all = listCommands();
  if (declared.length === 0 && listSubcommands(words, all).length > 0) {
    return explainUnknownCommand([...words, first], all);
  }
  const word = redactSecret(first);
  const meant = flags.find(({ values }) => values.includes(first));
  const isKey = /(?:sk|svc|key)[-_]/i.test(first);
  return usageError(
    word === undefined
      ? `Unexpected argument after ${[program, ...words].join(" ")}.`
      : `Unexpected argument: ${word}.`,
    isKey ? keyHint : meant ? `Did you mean --${meant.name} ${first}?` : usage,
  );
}

/** Explains the first value that is missing, repeated, or not allowed; undefined if there is none. */
function explainValue(
  typed: Typed,
  command: CommandDescription,
  usage: string,
): CommandError | undefined {
  const { words } = command;
  for (const [at, { flag, value }] of typed.flags.entries()) {
    if (flag.valueName === undefined) continue;
    const name = `--${flag.name}`;
    if (!flag.repeatable && typed.flags.slice(0, at).some((other) => other.flag === flag)) {
      return usageError(`${name} can be given only once.`, "Leave the others out.");
    }
    if (value === undefined) {
      return usageError(`${name} needs a value.`, describeFlagValue(flag, words));
    }
  }
  const argument = findRefused(
    typed.words.map((value, at) => ({ value, of: command.arguments[at] })),
  );
  if (argument) {
    // The parser reads the value of an unknown flag as an argument: the flag is the real mistake.
    if (typed.unknown.length > 0) return explainUnknownFlags(typed.unknown, command);
    const { values, name } = argument.of;
    const near = findNearest(argument.value, values);
    return usageError(`<${name}> must be ${joinWithOr(values)}.`, suggest(near) ?? usage);
  }
  const option = findRefused(
    typed.flags
      .filter(({ flag }) => !Object.hasOwn(openValues, flag.name))
      .map(({ flag, value = "" }) => ({ value, of: flag })),
  );
  if (!option) return undefined;
  const name = `--${option.of.name}`;
  const near = findNearest(option.value, option.of.values).map((value) => `${name} ${value}`);
  return usageError(
    `${name} must be ${joinWithOr(option.of.values)}.`,
    suggest(near) ?? describeHelp(words),
  );
}

/** Explains the first variable whose value its flag does not allow; a typed flag hides its variable. */
function explainVariable(
  typed: Typed,
  { flags }: CommandDescription,
  env: Environment,
): CommandError | undefined {
  for (const flag of flags) {
    const { variable, values } = flag;
    const value = variable && env[variable];
    if (!variable || !value || values.length === 0 || values.includes(value)) continue;
    if (typed.flags.some((each) => each.flag === flag)) continue;
    const message = `${variable} must be ${joinWithOr(values)}.`;
    return usageError(message, describeVariableValue(variable, flag, env));
  }
  return undefined;
}

function findRefused<Of extends FlagDescription | ArgumentDescription>(
  given: readonly { value: string; of: Of | undefined }[],
): { value: string; of: Of } | undefined {
  return given.find((each): each is { value: string; of: Of } => {
    const values = each.of?.values ?? [];
    return values.length > 0 && !values.includes(each.value);
  });
}

/** The hint how to set a variable. */
function describeVariableValue(variable: string, flag: FlagDescription, env: Environment): string {
  if (env[variable]?.startsWith("tcp://")) {
    return `Kubernetes sets ${variable} beside a Service that is named payments: set enableServiceLinks to false for the pod, or give --${flag.name}.`;
  }
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
