import type { FlagInput, ParserOutput } from "@oclif/core/interfaces";
import { type CommandError, usageError } from "../errors/command-error.ts";
import type { CommandDescription } from "./describe.ts";
import { joinWithAnd, joinWithOr } from "./suggest.ts";
import { describeHelp } from "./usage-line.ts";

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
  const rules = Object.entries(input.flags).map(([name, flag]) => ({
    name,
    flag,
    relations: flag.relationships ?? [],
    isGiven: output.flags[name] !== undefined,
    isDefault: output.metadata.flags[name]?.setFromDefault ?? false,
  }));
  const isGiven = (name: string) => rules.some((rule) => rule.name === name && rule.isGiven);
  const given = rules.filter((rule) => rule.isGiven);

  const missing = rules.filter((rule) => !rule.isGiven && rule.flag.required);
  if (missing.length > 0) {
    return usageError(`Missing ${joinWithAnd(missing.map(({ name }) => `--${name}`))}.`, usage);
  }
  for (const { name, flag, relations, isDefault } of given) {
    const excluded = new Set([
      ...toNames(flag.exclusive),
      ...toNames(flag.exactlyOne),
      ...relations.flatMap(({ type, flags }) => (type === "none" ? toNames(flags) : [])),
    ]);
    const other = given.find(
      (rule) => rule.name !== name && excluded.has(rule.name) && !rule.isDefault,
    );
    if (other && !isDefault) {
      return usageError(
        `--${other.name} and --${name} contradict each other.`,
        "Give one of them.",
      );
    }
  }
  for (const { name, flag, relations } of given) {
    const needed = [
      toNames(flag.dependsOn),
      ...relations.map(({ type, flags }) => (type === "all" ? toNames(flags) : [])),
    ].find((names) => !names.every(isGiven));
    const anyOf = relations
      .map(({ type, flags }) => (type === "some" ? toNames(flags) : []))
      .find((names) => names.length > 0 && !names.some(isGiven));
    const list = needed ? joinWithAnd(toFlags(needed)) : anyOf && joinWithOr(toFlags(anyOf));
    if (list) return usageError(`--${name} needs ${list} too.`, describeHelp(words));
  }
  const oneOf = rules
    .map(({ flag }) => toNames(flag.exactlyOne ?? flag.atLeastOne))
    .find((names) => names.length > 0 && !names.some(isGiven));
  return usageError(
    oneOf ? `Missing ${joinWithOr(toFlags(oneOf))}.` : "These flags don't go together.",
    describeHelp(words),
  );
}

function toNames(flags: readonly (string | { name: string })[] = []): string[] {
  return flags.map((flag) => (typeof flag === "string" ? flag : flag.name));
}

function toFlags(names: readonly string[]): string[] {
  return names.map((name) => `--${name}`);
}
