import { type CommandError, usageError } from "../errors/command-error.ts";
import { describeHelp, findCommandNamed, toCommandLine } from "./command-tree.ts";
import {
  helpFlag,
  listCommands,
  program,
  versionFlag,
  type CommandDescription,
} from "./describe.ts";
import {
  findNearest,
  findNearestByLastWord,
  measureDistance,
  redactFlag,
  redactSecret,
  suggest,
} from "./suggest.ts";

/** Explains a command line whose words name no command, or that begins with a flag. */
export function explainNoCommand(argv: readonly string[]): CommandError {
  const commands = listCommands();
  const line = toCommandLine(argv, commands);
  const { command, rest } = findCommandNamed(line, commands);
  if (rest.length > 0) return explainUnknownCommand(line, commands);
  const [typed = "", ...more] = argv.slice(line.length);
  if (command) {
    const others = more.filter((word) => word.startsWith("-"));
    return explainUnknownFlags([typed, ...others], command);
  }
  const name = redactFlag(typed);
  if (commands.some(({ flags }) => flags.some((flag) => `--${flag.name}` === name))) {
    return usageError(
      `${name} stands before the command.`,
      `The command comes first: ${program} <command> ${name}.`,
    );
  }
  return explainUnknownFlags([typed], { words: [], flags: [helpFlag, versionFlag] });
}

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

/** The hint where a key was typed. */
export const keyHint =
  "A key is never typed on the command line. Set PAYMENTS_API_KEY, name a file with --api-key-file, or store the key with payments login.";

/** Explains flags that a command doesn't have, and suggests the nearest ones. */
export function explainUnknownFlags(
  typed: readonly string[],
  { words, flags }: Pick<CommandDescription, "words" | "flags">,
): CommandError {
  const known = flags.map(({ name }) => name);
  const names = [...new Set(typed.flatMap((word) => redactFlag(word) ?? []))];
  const [hint] = typed.flatMap((word) => {
    const [name = ""] = word.replace(/^-+/, "").split("=", 1);
    if (/^(?:(?:api|secret)[-_]?)?(?:key|token)$/i.test(name)) return keyHint;
    const near = findNearest(name, known);
    const meant = near.length > 0 ? near : findNearestByLastWord(name, known);
    return suggest(meant.map((flag) => `--${flag}`)) ?? [];
  });
  return usageError(
    names.length === 0
      ? "Unknown flag."
      : `Unknown flag${names.length > 1 ? "s" : ""}: ${names.join(", ")}.`,
    hint ?? describeHelp(words),
  );
}
