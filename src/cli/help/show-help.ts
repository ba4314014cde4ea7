import packageJson from "../../../package.json" with { type: "json" };
import { everyCommand, type CommandDescription } from "./describe.ts";
import {
  commandLine,
  commandNamed,
  commandsBelow,
  type HelpTopic,
  helpTopics,
} from "./command-tree.ts";
import { unknownCommand } from "./unknown-command.ts";
import { styleFor } from "../output/style.ts";
import { definitions, type Definition } from "./definitions.ts";
import { commandHelp, type Layout } from "./command-help.ts";
import { environment } from "./environment.ts";
import { exitCodeMeanings } from "./exit-code-meanings.ts";
import { rootHelp } from "./root-help.ts";

const maxWidth = 100;

const topics: Record<HelpTopic, readonly Definition[]> = {
  "exit-codes": exitCodeMeanings,
  environment,
};

/**
 * What is shown for `--help`, and for a command line without a command. Errors: words that name no
 * command, in place of any help.
 */
export function showHelp(argv: readonly string[]): void {
  const commands = everyCommand();
  const words = subject(commandLine(argv, commands), argv);
  const topic = helpTopics.find(({ name }) => words.length === 1 && words[0] === name);
  process.stdout.write(topic ? topicHelp(topic, layout()) : helpOf(words, commands));
}

/** `help` alone is what the help is about; before other words, or as it is, it asks for it. */
function subject(line: readonly string[], argv: readonly string[]): readonly string[] {
  const asks = line[0] === "help" && (line.length > 1 || argv.length === 1);
  return asks ? line.slice(1) : line;
}

function helpOf(words: readonly string[], commands: readonly CommandDescription[]): string {
  if (words.length === 0) return rootHelp(packageJson.description, commands, layout());
  const { command, rest } = commandNamed(words, commands);
  const isGroup = command !== undefined && commandsBelow(command.words, commands).length > 0;
  if (!command || (isGroup && rest.length > 0)) throw unknownCommand(words, commands);
  return commandHelp(command, commands, layout());
}

function topicHelp(
  { name, summary }: (typeof helpTopics)[number],
  { width, style }: Layout,
): string {
  const rows = topics[name].map(([left, right]) => [left, right.replaceAll("`", "")] as const);
  return `${summary}\n\n${definitions(rows, width, style.cyan)}\n`;
}

function layout(): Layout {
  const width = Math.min(process.stdout.columns || 80, maxWidth);
  return { width, style: styleFor("stdout") };
}
