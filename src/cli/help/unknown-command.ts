import { type CommandError, usageError } from "../errors/command-error.ts";
import { findCommandNamed } from "./command-tree.ts";
import { program, type CommandDescription } from "./describe.ts";
import { measureDistance, redactSecret, suggest } from "./suggest.ts";

/** Explains words that name no command, and suggests the nearest one. */
export function explainUnknownCommand(
  line: readonly string[],
  commands: readonly CommandDescription[],
): CommandError {
  const { command, rest } = findCommandNamed(line, commands);
  const parent = [program, ...(command?.words ?? [])].join(" ");
  const [word = ""] = rest;
  return usageError(
    redactSecret(word) === undefined
      ? `There is no such command${command ? ` of ${parent}` : ""}.`
      : `Unknown command: ${parent} ${word}.`,
    suggest(findNearCommands(line, commands)) ??
      `${[program, "help", ...(command?.words ?? [])].join(" ")} lists the commands.`,
  );
}

/** Finds commands whose words are near the typed ones, or of which the user typed only the last word. */
function findNearCommands(
  line: readonly string[],
  commands: readonly CommandDescription[],
): string[] {
  const near = commands
    .map(({ words }) => {
      const slips = words.map((word, at) => measureDistance(line[at] ?? "", word) ?? Infinity);
      const isLastWord = words.length > 1 && words.at(-1) === line[0];
      return { words, far: isLastWord ? 1 : slips.reduce((sum, slip) => sum + slip) };
    })
    .filter(({ words, far }) => far < Infinity && !startsWith(line, words))
    .toSorted((a, b) => a.far - b.far);
  return near
    .filter(({ far }) => far <= (near[0]?.far ?? 0) + 1)
    .filter(
      ({ words }) => !near.some((each) => each.words !== words && startsWith(each.words, words)),
    )
    .slice(0, 3)
    .map(({ words }) => [program, ...words].join(" "));
}

function startsWith(line: readonly string[], words: readonly string[]): boolean {
  return words.every((word, at) => line[at] === word);
}
