import { HelpBase, type Command } from "@oclif/core";
import { describeCommands, type CommandDescription } from "../describe.ts";
import {
  commandLine,
  commandNamed,
  commandsBelow,
  type HelpTopic,
  helpTopics,
} from "../command-tree.ts";
import { unknownCommand } from "../unknown-command.ts";
import { styleFor } from "../../output/style.ts";
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

/** What oclif shows for `--help`, and for a command line without a command. */
export default class CommandLineHelp extends HelpBase {
  /** Errors: words that name no command, in place of any help. */
  async showHelp(argv: string[]): Promise<void> {
    const commands = describeCommands(this.config.commands);
    const words = subject(commandLine(argv, commands), argv);
    const topic = helpTopics.find(({ name }) => words.length === 1 && words[0] === name);
    if (topic) process.stdout.write(topicHelp(topic, layout()));
    else if (words.length > 0) process.stdout.write(helpOf(words, commands));
    else
      process.stdout.write(rootHelp(String(this.config.pjson["description"]), commands, layout()));
  }

  async showCommandHelp(command: Command.Loadable): Promise<void> {
    await this.showHelp([command.id]);
  }
}

/** `help` alone is what the help is about; before other words, or as it is, it asks for it. */
function subject(line: readonly string[], argv: readonly string[]): readonly string[] {
  const asks = line[0] === "help" && (line.length > 1 || argv.length === 1);
  return asks ? line.slice(1) : line;
}

function helpOf(words: readonly string[], commands: readonly CommandDescription[]): string {
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
