import packageJson from "../../../package.json" with { type: "json" };
import { listCommands, type CommandDescription } from "./describe.ts";
import {
  toCommandLine,
  findCommandNamed,
  listSubcommands,
  type HelpTopic,
  helpTopics,
} from "./command-tree.ts";
import { explainUnknownCommand } from "./unknown-command.ts";
import { getStyle } from "../output/style.ts";
import { formatDefinitions, type Definition } from "./definitions.ts";
import { formatCommandHelp, type Layout } from "./command-help.ts";
import { environmentVariables } from "./environment.ts";
import { exitCodeMeanings } from "../errors/exit-codes.ts";
import { formatRootHelp } from "./root-help.ts";

const maxWidth = 100;

const topics: Record<HelpTopic, readonly Definition[]> = {
  "exit-codes": exitCodeMeanings,
  environment: environmentVariables,
};

/**
 * Prints the help for `--help`, and for a command line without a command. Errors: words that name no command.
 */
export function showHelp(argv: readonly string[]): void {
  const commands = listCommands();
  const words = findSubject(toCommandLine(argv, commands), argv);
  const topic = helpTopics.find(({ name }) => words.length === 1 && words[0] === name);
  process.stdout.write(topic ? formatTopic(topic, createLayout()) : formatHelp(words, commands));
}

/** `payments help list` is about `list`; `payments help --help` is about `help`. */
function findSubject(line: readonly string[], argv: readonly string[]): readonly string[] {
  const isHelp = line[0] === "help" && (line.length > 1 || argv.length === 1);
  return isHelp ? line.slice(1) : line;
}

function formatHelp(words: readonly string[], commands: readonly CommandDescription[]): string {
  if (words.length === 0) return formatRootHelp(packageJson.description, commands, createLayout());
  const { command, rest } = findCommandNamed(words, commands);
  const isGroup = command !== undefined && listSubcommands(command.words, commands).length > 0;
  if (!command || (isGroup && rest.length > 0)) throw explainUnknownCommand(words, commands);
  return formatCommandHelp(command, commands, createLayout());
}

function formatTopic(
  { name, summary }: (typeof helpTopics)[number],
  { width, style }: Layout,
): string {
  const rows = topics[name].map(([left, right]) => [left, right.replaceAll("`", "")] as const);
  return `${summary}\n\n${formatDefinitions(rows, width, style.cyan)}\n`;
}

function createLayout(): Layout {
  const width = Math.min(process.stdout.columns || 80, maxWidth);
  return { width, style: getStyle("stdout") };
}
