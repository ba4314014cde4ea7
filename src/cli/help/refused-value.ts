import { type CommandError, usageError } from "../errors/command-error.ts";
import type { CommandDescription, FlagDescription } from "./describe.ts";
import { suggest, findNearest, joinWithOr } from "./nearest.ts";
import { explainUnknownFlags } from "./refused-flags.ts";
import { describeHelp, uncapitalize, describeUsage, formatValue } from "./usage-line.ts";

/**
 * A value that a flag or an argument cannot have, or that is missing. The message is read for the name
 * of the flag and for limits, and the value compared with those there are; it is not repeated.
 */
export function explainValue(
  message: string,
  typedFlags: readonly string[],
  command: CommandDescription,
  commands: readonly CommandDescription[],
): CommandError {
  const [, name] = /^(?:Expected|Parsing|Flag) --([a-z0-9-]+)/.exec(message) ?? [];
  const flag = command.flags.find((known) => known.name === name);
  if (flag) return refusedFlagValue(flag, message, command);
  const argument = command.arguments.find(
    ({ values }) => values.length > 0 && message.includes(` to be one of: ${values.join(", ")}`),
  );
  if (!argument) {
    return usageError("This command line is not understood.", describeUsage(command, commands));
  }
  // A flag that is not there leaves its value behind, which then is taken for an argument.
  const unknown = typedFlags.filter((word) => word.startsWith("--") && !isKnown(word, command));
  if (unknown.length > 0) return explainUnknownFlags(unknown, command);
  const near = findNearest(typedValue(message), argument.values);
  return usageError(
    `<${argument.name}> must be ${joinWithOr(argument.values)}.`,
    suggest(near) ?? describeUsage(command, commands),
  );
}

function refusedFlagValue(
  flag: FlagDescription,
  message: string,
  { words }: CommandDescription,
): CommandError {
  const name = `--${flag.name}`;
  if (message.includes("can only be specified once")) {
    return usageError(`${name} can be given only once.`, "Leave the others out.");
  }
  if (message.startsWith("Flag "))
    return usageError(`${name} needs a value.`, valueHint(flag, words));
  if (message.startsWith("Parsing ")) {
    return usageError(`${name} must be ${numberIn(message)}.`, valueHint(flag, words));
  }
  const near = findNearest(typedValue(message), flag.values).map((value) => `${name} ${value}`);
  return usageError(
    `${name} must be ${joinWithOr(flag.values)}.`,
    suggest(near) ?? describeHelp(words),
  );
}

function isKnown(word: string, { flags }: CommandDescription): boolean {
  const [name] = word.split("=", 1);
  return flags.some((flag) => `--${flag.name}` === name);
}

function typedValue(message: string): string {
  return /^Expected (?:--[a-z0-9-]+=)?([^]*) to be one of: /.exec(message)?.[1] ?? "";
}

/** What an integer must be, of which the message tells the limit. */
function numberIn(message: string): string {
  if (!message.includes("Expected an integer")) return "of another form";
  const [, kind, limit] =
    /Expected an integer (greater|less) than or equal to (-?\d+) but/.exec(message) ?? [];
  if (limit === undefined) return "an integer";
  return `an integer of at ${kind === "greater" ? "least" : "most"} ${limit}`;
}

function valueHint(flag: FlagDescription, words: readonly string[]): string {
  if (flag.values.length > 0) return `Give ${joinWithOr(flag.values)}.`;
  if (flag.default !== undefined) return `For example --${flag.name} ${flag.default}`;
  if (flag.valueName === "value") return describeHelp(words);
  return `Write --${flag.name} ${formatValue(flag)}: ${uncapitalize(flag.summary)}`;
}
