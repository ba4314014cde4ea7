import { toCommandLine, findCommandNamed, listSubcommands } from "./command-tree.ts";
import { listCommands } from "./describe.ts";
import { explainArguments } from "./refused-arguments.ts";
import { explainCombination } from "./refused-combination.ts";
import { explainFlagBeforeCommand, explainUnknownFlags } from "./refused-flags.ts";
import { explainValue } from "./refused-value.ts";
import { explainUnknownCommand } from "./unknown-command.ts";
import type { CommandError } from "../errors/command-error.ts";

export { suggestValue } from "./suggested-value.ts";
export { explainUnknownFields } from "./unknown-fields.ts";

/** An error of oclif's parser. Its message repeats what was typed, which may be a key or a card. */
export type ParserError = Error & {
  oclif: object;
  /** The flags that are not there. */
  flags?: string[];
  /** The words that are too many, or the arguments that are missing. */
  args?: (string | { name: string })[];
};

/** Words that name no command, or none at all before a flag. */
export function explainNoCommand(argv: readonly string[]): CommandError {
  const commands = listCommands();
  const line = toCommandLine(argv, commands);
  const [flag = ""] = argv;
  return line.length === 0
    ? explainFlagBeforeCommand(flag, commands)
    : explainUnknownCommand(line, commands);
}

/** What the parser refused, in words that repeat nothing that may be secret, and what to do. */
export function explainUsage(error: ParserError, argv: readonly string[]): CommandError {
  const commands = listCommands();
  const line = toCommandLine(argv, commands);
  const { command, rest } = findCommandNamed(line, commands);
  const isGroup = command !== undefined && listSubcommands(command.words, commands).length > 0;
  if (!command || (isGroup && rest.length > 0)) return explainUnknownCommand(line, commands);

  const typedFlags = argv.filter((word) => word.startsWith("-"));
  if (error.flags) return explainUnknownFlags(error.flags, command);
  if (error.args) return explainArguments(error.args, typedFlags, command, commands);
  return (
    explainCombination(error.message, command, commands) ??
    explainValue(error.message, typedFlags, command, commands)
  );
}
