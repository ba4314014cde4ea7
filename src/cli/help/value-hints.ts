import { type CommandError, usageError } from "../errors/command-error.ts";
import { explainServiceLink, type Environment } from "../parse/setting-names.ts";
import { describeHelp, formatValue } from "./command-tree.ts";
import type { CommandDescription, FlagDescription } from "./describe.ts";
import { joinWithOr } from "./suggest.ts";
import type { Typed } from "./typed-words.ts";

/** Explains the first variable whose value its flag does not allow; a typed flag hides its variable. */
export function explainVariable(
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

/** The hint how to set a variable. */
export function describeVariableValue(
  variable: string,
  flag: FlagDescription,
  env: Environment,
): string {
  const link = explainServiceLink(variable, env, `--${flag.name}`);
  if (link !== undefined) return link;
  if (flag.default !== undefined) return `For example ${variable}=${flag.default}`;
  return `It stands for --${flag.name} ${formatValue(flag)}: ${uncapitalize(flag.summary)}`;
}

/** The hint how to write a flag's value. */
export function describeFlagValue(flag: FlagDescription, words: readonly string[]): string {
  if (flag.values.length > 0) return `Give ${joinWithOr(flag.values)}.`;
  if (flag.default !== undefined) return `For example --${flag.name} ${flag.default}`;
  if (flag.valueName === "value") return describeHelp(words);
  return `Write --${flag.name} ${formatValue(flag)}: ${uncapitalize(flag.summary)}`;
}

/** Makes a summary fit the end of another sentence. */
export function uncapitalize(text: string): string {
  return /^[A-Z](?:[a-z]| )/.test(text) ? text.slice(0, 1).toLowerCase() + text.slice(1) : text;
}
