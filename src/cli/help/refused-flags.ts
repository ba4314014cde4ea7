import { type CommandError, usageError } from "../errors/command-error.ts";
import { helpFlag, program, versionFlag, type CommandDescription } from "./describe.ts";
import { redactFlag } from "./harmless.ts";
import { suggest, findNearest, nearestByLastWord } from "./nearest.ts";
import { describeHelp } from "./usage-line.ts";

/** What to do with a key that was typed where none belongs. */
export const keyHint =
  "A key is never typed on the command line. Set PAYMENTS_API_KEY, name a file with --api-key-file, or store the key with payments login.";

/** Flags that a command doesn't have: what they may have been meant as. */
export function explainUnknownFlags(
  typed: readonly string[],
  { words, flags }: CommandDescription,
): CommandError {
  const known = flags.map(({ name }) => name);
  const [hint] = typed.flatMap((word) => hintFor(word, known) ?? []);
  return usageError(named(typed), hint ?? describeHelp(words));
}

/** A flag in place of the command, perhaps one that a command has. */
export function explainFlagBeforeCommand(
  typed: string,
  commands: readonly CommandDescription[],
): CommandError {
  const name = redactFlag(typed);
  if (
    name !== undefined &&
    commands.some(({ flags }) => flags.some((flag) => `--${flag.name}` === name))
  ) {
    return usageError(
      `${name} stands before the command.`,
      `The command comes first: ${program} <command> ${name}.`,
    );
  }
  const known = [helpFlag.name, versionFlag.name];
  return usageError(named([typed]), hintFor(typed, known) ?? describeHelp([]));
}

/** The flags by name, where their names are harmless. */
function named(typed: readonly string[]): string {
  const names = [...new Set(typed.flatMap((word) => redactFlag(word) ?? []))];
  if (names.length === 0) return "Unknown flag.";
  return `Unknown flag${names.length > 1 ? "s" : ""}: ${names.join(", ")}.`;
}

function hintFor(typed: string, known: readonly string[]): string | undefined {
  const [name = ""] = typed.replace(/^-+/, "").split("=", 1);
  if (/^(?:(?:api|secret)[-_]?)?(?:key|token)$/i.test(name)) return keyHint;
  const near = findNearest(name, known);
  const meant = near.length > 0 ? near : nearestByLastWord(name, known);
  return suggest(meant.map((flag) => `--${flag}`));
}
