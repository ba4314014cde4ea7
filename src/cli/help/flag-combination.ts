import type { FlagInput, ParserOutput } from "@oclif/core/interfaces";
import { type CommandError, usageError } from "../errors/command-error.ts";
import type { CommandDescription } from "./describe.ts";
import { joinWithAnd, joinWithOr } from "./suggest.ts";
import { describeHelp } from "./command-tree.ts";

/** The state of oclif's parser: the rules of a command's flags, and the given ones. */
export type ParserState = {
  input: { flags: FlagInput };
  output: Pick<ParserOutput, "flags" | "metadata">;
};

/** Explains flags that are missing, or don't go together. */
export function explainCombination(
  { input, output }: ParserState,
  { words }: Pick<CommandDescription, "words">,
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
      return usageError(`--${other} and --${name} contradict each other.`, "Give one of them.");
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

function toNames(flags: readonly (string | { name: string })[] = []): string[] {
  return flags.map((flag) => (typeof flag === "string" ? flag : flag.name));
}

function toFlags(names: readonly string[]): string[] {
  return names.map((name) => `--${name}`);
}
