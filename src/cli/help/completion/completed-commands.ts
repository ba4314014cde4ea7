import {
  helpFlag,
  versionFlag,
  type ArgumentDescription,
  type CommandDescription,
  type FlagDescription,
} from "../describe.ts";
import { listSubcommands, helpTopics, sortCommands } from "../command-tree.ts";

/** What may be typed after some words of the command line. */
export type CompletedCommand = {
  /** The words typed before; none where the command itself comes next. */
  words: readonly string[];
  /** The words that may come next, as a person needs them. */
  next: readonly { name: string; summary: string }[];
  arguments: readonly ArgumentDescription[];
  flags: readonly FlagDescription[];
};

/** Every place in a command line where something can be completed, the first words first. */
export function listCompletedCommands(commands: readonly CommandDescription[]): CompletedCommand[] {
  const start = { words: [], arguments: [], flags: [helpFlag, versionFlag] };
  const places = [start, ...sortCommands(commands)].map(
    ({ words, arguments: args, flags }): CompletedCommand => {
      const isHelp = words.join() === "help";
      return isHelp
        ? { words, flags, arguments: [], next: [...nextWords([], commands), ...helpTopics] }
        : { words, flags, arguments: args, next: nextWords(words, commands) };
    },
  );
  return [...places, ...helpSubjects(commands)];
}

/** After `help` come the same words as after nothing. */
function helpSubjects(commands: readonly CommandDescription[]): CompletedCommand[] {
  return sortCommands(commands).map(({ words }) => ({
    words: ["help", ...words],
    next: nextWords(words, commands),
    arguments: [],
    flags: [],
  }));
}

function nextWords(words: readonly string[], commands: readonly CommandDescription[]) {
  return listSubcommands(words, commands).map((command) => ({
    name: command.words.at(-1) ?? "",
    summary: command.summary,
  }));
}
