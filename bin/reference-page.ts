import { Chalk } from "chalk";
import { formatCommandHelp, formatTopic } from "../src/cli/help/show-help.ts";
import { groupCommands, helpTopics, listSubcommands } from "../src/cli/help/command-tree.ts";
import { program, type CommandDescription } from "../src/cli/help/describe.ts";

const layout = { width: 100, style: new Chalk({ level: 0 }) };

/** Writes docs/commands.md: the help of every command and topic. */
export function toReferencePage(commands: readonly CommandDescription[]): string {
  return [
    `# Commands of \`${program}\`\n`,
    `Made from the commands themselves by \`npm run fix\`; in a terminal, \`${program} help\` says the same.\n`,
    ...groupCommands(commands).map(([heading, members]) => {
      const all = members.flatMap((each) => [each, ...listSubcommands(each.words, commands)]);
      const links = all.map(({ words }) => `[${words.join(" ")}](#${program}-${words.join("-")})`);
      return `- ${heading}: ${links.join(", ")}`;
    }),
    ...sortCommands(commands).map((command) =>
      toChapter([program, ...command.words], formatCommandHelp(command, commands, layout)),
    ),
    ...helpTopics.map((topic) => toChapter([topic.name], formatTopic(topic, commands, layout))),
  ].join("\n");
}

/** Every command, each before those below it. */
function sortCommands(commands: readonly CommandDescription[]): CommandDescription[] {
  const all: CommandDescription[] = [];
  const add = (words: readonly string[]) => {
    for (const command of listSubcommands(words, commands)) {
      all.push(command);
      add(command.words);
    }
  };
  add([]);
  return all;
}

function toChapter(words: readonly string[], text: string): string {
  return `\n## ${words.join(" ")}\n\n\`\`\`text\n${text}\`\`\``;
}
