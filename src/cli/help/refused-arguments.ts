import { type CommandError, usageError } from "../errors/command-error.ts";
import { program, type CommandDescription } from "./describe.ts";
import { redactSecret } from "./harmless.ts";
import { keyHint } from "./refused-flags.ts";
import { uncapitalize, describeUsage } from "./usage-line.ts";

/** Too many arguments, which are words, or too few, which are some that the command declares. */
export function explainArguments(
  refused: readonly (string | { name: string })[],
  typedFlags: readonly string[],
  command: CommandDescription,
  commands: readonly CommandDescription[],
): CommandError {
  const [first] = refused;
  if (typeof first === "object") {
    const argument = command.arguments.find(({ name }) => name === first.name);
    return usageError(
      `Missing <${first.name}>: ${uncapitalize(argument?.summary ?? "")}`,
      describeUsage(command, commands),
    );
  }
  const flag = command.flags.find(
    ({ name, valueName }) =>
      valueName === undefined && typedFlags.some((word) => word.startsWith(`--${name}=`)),
  );
  if (flag) {
    return usageError(
      `--${flag.name} takes no value.`,
      `Write --${flag.name} alone, or leave it out.`,
    );
  }
  const word = redactSecret(first ?? "");
  return usageError(
    word === undefined
      ? `Unexpected argument after ${[program, ...command.words].join(" ")}.`
      : `Unexpected argument: ${word}.`,
    hintFor(first ?? "", command) ?? describeUsage(command, commands),
  );
}

/** What was typed without its flag (`list failed`), or a key where none belongs. */
function hintFor(word: string, { flags }: CommandDescription): string | undefined {
  if (/(?:sk|svc|key)[-_]/i.test(word)) return keyHint;
  const meant = flags.find(({ values }) => values.includes(word));
  return meant && `Did you mean --${meant.name} ${word}?`;
}
