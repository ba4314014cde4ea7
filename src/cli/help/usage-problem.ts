import { commandLine, commandNamed, commandsBelow } from "./command-tree.ts";
import { everyCommand } from "./describe.ts";
import { refusedArguments } from "./refused-arguments.ts";
import { refusedCombination } from "./refused-combination.ts";
import { flagBeforeCommand, unknownFlags } from "./refused-flags.ts";
import { refusedValue } from "./refused-value.ts";
import { unknownCommand } from "./unknown-command.ts";
import type { CommandError } from "../errors/command-error.ts";

export { suggestedValue } from "./suggested-value.ts";
export { unknownFields } from "./unknown-fields.ts";

/** An error of oclif's parser. Its message repeats what was typed, which may be a key or a card. */
export type ParserError = Error & {
  oclif: object;
  /** The flags that are not there. */
  flags?: string[];
  /** The words that are too many, or the arguments that are missing. */
  args?: (string | { name: string })[];
};

/** Words that name no command, or none at all before a flag. */
export function noCommand(argv: readonly string[]): CommandError {
  const commands = everyCommand();
  const line = commandLine(argv, commands);
  const [flag = ""] = argv;
  return line.length === 0 ? flagBeforeCommand(flag, commands) : unknownCommand(line, commands);
}

/** What the parser refused, in words that repeat nothing that may be secret, and what to do. */
export function usageProblem(error: ParserError, argv: readonly string[]): CommandError {
  const commands = everyCommand();
  const line = commandLine(argv, commands);
  const { command, rest } = commandNamed(line, commands);
  const isGroup = command !== undefined && commandsBelow(command.words, commands).length > 0;
  if (!command || (isGroup && rest.length > 0)) return unknownCommand(line, commands);

  const typedFlags = argv.filter((word) => word.startsWith("-"));
  if (error.flags) return unknownFlags(error.flags, command);
  if (error.args) return refusedArguments(error.args, typedFlags, command, commands);
  return (
    refusedCombination(error.message, command, commands) ??
    refusedValue(error.message, typedFlags, command, commands)
  );
}
