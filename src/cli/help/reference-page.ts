import { listSubcommands, groupCommands, sortCommands } from "./command-tree.ts";
import { helpFlag, program, type CommandDescription } from "./describe.ts";
import { formatArgument, formatUsage } from "./usage-line.ts";
import { groupFlags, formatFlagLabel, formatFlag } from "./command-help.ts";
import { environmentVariables } from "./environment.ts";
import { exitCodeMeanings } from "./exit-code-meanings.ts";

/** docs/commands.md: every command with all that its help says, exit codes and environment. */
export function toReferencePage(commands: readonly CommandDescription[]): string {
  return `${[
    `# Commands of \`${program}\``,
    `Made from the commands themselves by \`npm run fix\`; in a terminal, \`${program} help\` says the same.`,
    groupCommands(commands)
      .map(([heading, members]) => contents(heading, members, commands))
      .join("\n"),
    ...sortCommands(commands).map((command) => chapter(command, commands)),
    "## Exit codes",
    table(["Code", "Meaning"], exitCodeMeanings),
    "## Environment",
    table(["Variable", "Meaning"], environmentVariables),
  ].join("\n\n")}\n`;
}

/** One line of the table of contents: a heading and links to its commands. */
function contents(
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

function chapter(command: CommandDescription, commands: readonly CommandDescription[]): string {
  const { words, summary, description } = command;
  const flags = command.flags.filter((flag) => flag !== helpFlag);
  const below = listSubcommands(words, commands).map((each) => [
    [program, ...each.words].join(" "),
    each.summary,
  ]);
  const tables = [
    table(["Command", "Does"], below),
    table(
      ["Argument", "Meaning"],
      command.arguments.map((each) => [formatArgument(each), each.summary]),
    ),
    ...groupFlags(flags).map(([group, members]) =>
      table(
        [group === undefined ? "Flag" : `${capitalized(group)} flag`, "Meaning"],
        members.map((flag) => [formatFlagLabel(flag), formatFlag(flag)]),
      ),
    ),
  ];
  return [
    `## ${[program, ...words].join(" ")}`,
    summary,
    description && markdown(description),
    fenced([formatUsage(command, commands)]),
    ...tables,
    command.examples.length > 0 && fenced(command.examples.flatMap(exampleLines)),
  ]
    .filter(Boolean)
    .join("\n\n");
}

function exampleLines(example: CommandDescription["examples"][number]): string[] {
  const { summary, command } = example;
  return summary === undefined ? [command] : [`# ${summary}`, command];
}

/** Names as code, and what each means; nothing where there are none. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "";
  return [
    `| ${head.join(" | ")} |`,
    "| --- | --- |",
    ...rows.map(([name = "", text = ""]) => `| \`${cell(name)}\` | ${cell(text)} |`),
  ].join("\n");
}

function cell(text: string): string {
  return text.replaceAll("|", String.raw`\|`);
}

/** A description with its indented commands as code. */
function markdown(description: string): string {
  return description.replaceAll(
    /\n((?: {2}.+(?:\n|$))+)/g,
    (_, lines: string) => `\n\n${fenced([lines.replaceAll(/^ {2}/gm, "").trimEnd()])}\n`,
  );
}

function fenced(lines: readonly string[]): string {
  return ["```sh", ...lines, "```"].join("\n");
}

function capitalized(text: string): string {
  return text.slice(0, 1) + text.slice(1).toLowerCase();
}
