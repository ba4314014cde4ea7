import { listSubcommands, groupCommands, sortCommands } from "./command-tree.ts";
import { helpFlag, program, type CommandDescription } from "./describe.ts";
import { formatArgument, formatUsage } from "./usage-line.ts";
import { groupFlags, formatFlagLabel, formatFlag } from "./command-help.ts";
import { environmentVariables } from "./environment.ts";
import { exitCodeMeanings } from "../errors/exit-codes.ts";

/** Writes docs/commands.md: the help of every command, the exit codes and the environment. */
export function toReferencePage(commands: readonly CommandDescription[]): string {
  return `${[
    `# Commands of \`${program}\``,
    `Made from the commands themselves by \`npm run fix\`; in a terminal, \`${program} help\` says the same.`,
    groupCommands(commands)
      .map(([heading, members]) => formatContents(heading, members, commands))
      .join("\n"),
    ...sortCommands(commands).map((command) => formatChapter(command, commands)),
    "## Exit codes",
    formatTable(["Code", "Meaning"], exitCodeMeanings),
    "## Environment",
    formatTable(["Variable", "Meaning"], environmentVariables),
  ].join("\n\n")}\n`;
}

/** One line of the table of contents: a heading and links to its commands. */
function formatContents(
  heading: string,
  members: readonly CommandDescription[],
  commands: readonly CommandDescription[],
): string {
  const all = members.flatMap((command) =>
    [command, listSubcommands(command.words, commands)].flat(),
  );
  const links = all.map(({ words }) => `[${words.join(" ")}](#${[program, ...words].join("-")})`);
  return `- ${heading}: ${links.join(", ")}`;
}

function formatChapter(
  command: CommandDescription,
  commands: readonly CommandDescription[],
): string {
  const { words, summary, description } = command;
  const flags = command.flags.filter((flag) => flag !== helpFlag);
  const below = listSubcommands(words, commands).map((each) => [
    [program, ...each.words].join(" "),
    each.summary,
  ]);
  const tables = [
    formatTable(["Command", "Does"], below),
    formatTable(
      ["Argument", "Meaning"],
      command.arguments.map((each) => [formatArgument(each), each.summary]),
    ),
    ...groupFlags(flags).map(([group, members]) =>
      formatTable(
        [group === undefined ? "Flag" : `${capitalize(group)} flag`, "Meaning"],
        members.map((flag) => [formatFlagLabel(flag), formatFlag(flag)]),
      ),
    ),
  ];
  return [
    `## ${[program, ...words].join(" ")}`,
    summary,
    description && toMarkdown(description),
    formatCode([formatUsage(command, commands)]),
    ...tables,
    command.examples.length > 0 && formatCode(command.examples.flatMap(toExampleLines)),
  ]
    .filter(Boolean)
    .join("\n\n");
}

function toExampleLines(example: CommandDescription["examples"][number]): string[] {
  const { summary, command } = example;
  return summary === undefined ? [command] : [`# ${summary}`, command];
}

/** A table of names, as code, and their meanings; empty without rows. */
function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "";
  return [
    `| ${head.join(" | ")} |`,
    "| --- | --- |",
    ...rows.map(([name = "", text = ""]) => `| \`${escapeCell(name)}\` | ${escapeCell(text)} |`),
  ].join("\n");
}

function escapeCell(text: string): string {
  return text.replaceAll("|", String.raw`\|`);
}

/** A description with its indented commands as code. */
function toMarkdown(description: string): string {
  return description.replaceAll(
    /\n((?: {2}.+(?:\n|$))+)/g,
    (_, lines: string) => `\n\n${formatCode([lines.replaceAll(/^ {2}/gm, "").trimEnd()])}\n`,
  );
}

function formatCode(lines: readonly string[]): string {
  return ["```sh", ...lines, "```"].join("\n");
}

function capitalize(text: string): string {
  return text.slice(0, 1) + text.slice(1).toLowerCase();
}
