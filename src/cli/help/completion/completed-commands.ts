import {
  helpFlag,
  versionFlag,
  type ArgumentDescription,
  type CommandDescription,
  type FlagDescription,
} from "../describe.ts";
import { listSubcommands, helpTopics, sortCommands } from "../command-tree.ts";

/** The possible continuations of a command line that begins with certain words. */
export type CompletedCommand = {
  /** The words typed so far; empty at the start of the line. */
  words: readonly string[];
  /** The words that may come next, in the order in which a user needs them. */
  next: readonly { name: string; summary: string }[];
  arguments: readonly ArgumentDescription[];
  flags: readonly FlagDescription[];
};

/** Lists every command with its continuations, each before those below it. */
export function listCompletedCommands(commands: readonly CommandDescription[]): CompletedCommand[] {
  const start = { words: [], arguments: [], flags: [helpFlag, versionFlag] };
  const completed = [start, ...sortCommands(commands)].map(
    ({ words, arguments: args, flags }): CompletedCommand => {
      const isHelp = words.join() === "help";
      return isHelp
        ? { words, flags, arguments: [], next: [...listNextWords([], commands), ...helpTopics] }
        : { words, flags, arguments: args, next: listNextWords(words, commands) };
    },
  );
  return [...completed, ...listHelpSubjects(commands)];
}

/** `help` is followed by the words of any command. */
function listHelpSubjects(commands: readonly CommandDescription[]): CompletedCommand[] {
  return sortCommands(commands).map(({ words }) => ({
    words: ["help", ...words],
    next: listNextWords(words, commands),
    arguments: [],
    flags: [],
  }));
}

function listNextWords(words: readonly string[], commands: readonly CommandDescription[]) {
  return listSubcommands(words, commands).map((command) => ({
    name: command.words.at(-1) ?? "",
    summary: command.summary,
  }));
}
