import { type CommandError, usageError } from "../errors/command-error.ts";
import { helpFlag, program, versionFlag, type CommandDescription } from "./describe.ts";
import { harmlessFlag } from "./harmless.ts";
import { didYouMean, nearest, nearestByLastWord } from "./nearest.ts";
import { seeHelp } from "./usage-line.ts";

/** What to do with a key that was typed where none belongs. */
export const keyHint =
  "A key is never typed on the command line. Set PAYMENTS_API_KEY, name a file with --api-key-file, or store the key with payments login.";

/** Flags that a command doesn't have: what they may have been meant as. */
export function unknownFlags(
  typed: readonly string[],
  { words, flags }: CommandDescription,
): CommandError {
  const known = flags.map(({ name }) => name);
  const [hint] = typed.flatMap((word) => hintFor(word, known) ?? []);
  return usageError(named(typed), hint ?? seeHelp(words));
}

/** A flag in place of the command, perhaps one that a command has. */
export function flagBeforeCommand(
  typed: string,
  commands: readonly CommandDescription[],
): CommandError {
  const name = harmlessFlag(typed);
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
  return usageError(named([typed]), hintFor(typed, known) ?? seeHelp([]));
}

/** The flags by name, where their names are harmless. */
function named(typed: readonly string[]): string {
  const names = [...new Set(typed.flatMap((word) => harmlessFlag(word) ?? []))];
  if (names.length === 0) return "Unknown flag.";
  return `Unknown flag${names.length > 1 ? "s" : ""}: ${names.join(", ")}.`;
}

function hintFor(typed: string, known: readonly string[]): string | undefined {
  const [name = ""] = typed.replace(/^-+/, "").split("=", 1);
  if (/^(?:(?:api|secret)[-_]?)?(?:key|token)$/i.test(name)) return keyHint;
  const near = nearest(name, known);
  const meant = near.length > 0 ? near : nearestByLastWord(name, known);
  return didYouMean(meant.map((flag) => `--${flag}`));
}
