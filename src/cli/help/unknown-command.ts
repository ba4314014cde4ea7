import { type CommandError, usageError } from "../errors/command-error.ts";
import { findCommandNamed } from "./command-tree.ts";
import { program, type CommandDescription } from "./describe.ts";
import { redactSecret } from "./redact.ts";
import { suggest, measureDistance } from "./suggest.ts";

/** Explains words that name no command, and suggests the nearest one. */
export function explainUnknownCommand(
  line: readonly string[],
  commands: readonly CommandDescription[],
): CommandError {
  const { command, rest } = findCommandNamed(line, commands);
  const parent = command?.words ?? [];
  const typed = redactSecret(rest[0] ?? "");
  const near = findNearCommands(line, commands).map((words) => [program, ...words].join(" "));
  return usageError(
    typed === undefined
      ? `There is no such command${parent.length > 0 ? ` of ${program} ${parent.join(" ")}` : ""}.`
      : `Unknown command: ${[program, ...parent, typed].join(" ")}.`,
    suggest(near) ?? `${[program, "help", ...parent].join(" ")} lists the commands.`,
  );
}

/** Finds commands whose words are near the typed ones, or of which the user typed only the last word. */
function findNearCommands(
  line: readonly string[],
  commands: readonly CommandDescription[],
): (readonly string[])[] {
  const near = commands.flatMap(({ words }) => {
    const far = words.length > 1 && words.at(-1) === line[0] ? 1 : countSlips(line, words);
    return far === undefined || isStartOf(words, line) ? [] : [{ words, far }];
  });
  const fewest = Math.min(...near.map(({ far }) => far));
  return near
    .filter(
      ({ far, words }) =>
        far <= fewest + 1 && !near.some(({ words: longer }) => isLonger(longer, words)),
    )
    .toSorted((a, b) => a.far - b.far)
    .slice(0, 3)
    .map(({ words }) => words);
}

function countSlips(line: readonly string[], words: readonly string[]): number | undefined {
  const slips = words.map((word, at) => measureDistance(line[at] ?? "", word));
  return slips.reduce<number | undefined>(
    (sum, slip) => (sum === undefined || slip === undefined ? undefined : sum + slip),
    0,
  );
}

function isStartOf(words: readonly string[], line: readonly string[]): boolean {
  return words.every((word, at) => line[at] === word);
}

function isLonger(longer: readonly string[], words: readonly string[]): boolean {
  return longer.length > words.length && isStartOf(words, longer);
}
