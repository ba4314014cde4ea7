import { type CommandError, FlagError, usageError } from "../errors/command-error.ts";
import type { Environment } from "../parse/setting-names.ts";
import {
  describeHelp,
  findCommandNamed,
  formatUsage,
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
import { readTyped, type Typed } from "./typed-words.ts";
import { explainUnknownCommand } from "./unknown-command.ts";
import {
  describeFlagValue,
  describeVariableValue,
  explainVariable,
  uncapitalize,
} from "./value-hints.ts";

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
  if (option.of.name === "test-card" && /^[\d -]+$/.test(option.value)) {
    return usageError(
      "--test-card takes the name of a test card.",
      "--card-number takes a number, in test mode; payments test-cards shows each with its name.",
    );
  }
  const near = findNearest(option.value, option.of.values).map((value) => `${name} ${value}`);
  return usageError(
    `${name} must be ${joinWithOr(option.of.values)}.`,
    suggest(near) ?? describeHelp(words),
  );
}

function findRefused<Of extends FlagDescription | ArgumentDescription>(
  given: readonly { value: string; of: Of | undefined }[],
): { value: string; of: Of } | undefined {
  return given.find((each): each is { value: string; of: Of } => {
    const values = each.of?.values ?? [];
    return values.length > 0 && !values.includes(each.value);
  });
}
