import type { ChalkInstance } from "chalk";
import packageJson from "../../../package.json" with { type: "json" };
import { toSafeJson } from "../../runtime/text.ts";
import { exitCodeMeanings } from "../output/exit-codes.ts";
import { gapWidth } from "../output/resource.ts";
import { getStyle } from "../output/style.ts";
import { drawRows, wrapText } from "../output/table.ts";
import {
  type HelpTopic,
  agentsTopic,
  findCommandNamed,
  formatArgument,
  formatUsage,
  formatValue,
  groupCommands,
  helpTopics,
  listSubcommands,
  toCommandLine,
} from "./command-tree.ts";
import {
  type CommandDescription,
  type FlagDescription,
  commandGroups,
  helpFlag,
  listCommands,
  program,
  versionFlag,
} from "./describe.ts";
import { listVariables } from "./environment.ts";
import { explainNoCommand, explainUnknownCommand } from "./suggest.ts";

const maxWidth = 100;

type Topic = (commands: readonly CommandDescription[]) => readonly Definition[];

const topics: Record<HelpTopic, Topic> = {
  "exit-codes": () => exitCodeMeanings,
  environment: listVariables,
};

/**
 * Prints the help for `--help`, and for a command line without a command, of the package at `root`. Errors: words that
 * name no command.
 */
export function showHelp(argv: readonly string[], root: string): void {
  const commands = listCommands();
  const line = toCommandLine(argv, commands);
  // `payments help list` is about `list`; `payments help --help` is about `help`.
  const isHelp = line[0] === "help" && (line.length > 1 || argv.length === 1);
  const words = isHelp ? line.slice(1) : line;
  if (isHelp && words.length === 1 && words[0] === agentsTopic.name) {
    process.stdout.write(readAgentsPage(root));
    return;
  }
  const topic = helpTopics.find(({ name }) => words.length === 1 && words[0] === name);
  const layout = createLayout();
  process.stdout.write(
    topic ? formatTopic(topic, commands, layout) : formatHelp(words, commands, layout),
  );
}

/** A file of the package; the standalone executable has it within. */
function readAgentsPage(root: string): string {
  const { getAsset, isSea } = process.getBuiltinModule("node:sea");
  const { readFileSync } = process.getBuiltinModule("node:fs");
  return isSea() ? getAsset("agents.md", "utf8") : readFileSync(`${root}/docs/agents.md`, "utf8");
}

/** Prints the help of a group of commands. Errors: the command line names neither a group nor a command. */
export function showGroup(argv: readonly string[], root: string): void {
  const [word = "", ...rest] = argv;
  const isGroup = Object.hasOwn(commandGroups, word) && rest.every((each) => each === "--");
  if (!isGroup) throw explainNoCommand(argv);
  showHelp(argv, root);
}

/**
 * Prints the help as JSON: of all commands, of one, or of those of a group; a topic has none. Errors: words that name
 * nothing.
 */
export async function showHelpAsJson(typed: readonly string[]): Promise<void> {
  const commands = listCommands();
  const words = toCommandLine(typed, commands);
  const isTopic = [...helpTopics, agentsTopic].some(
    ({ name }) => words.length === 1 && words[0] === name,
  );
  const named = isTopic || words.length === 0 ? words : findHelped(words, commands).words;
  const { describeProgram } = await import("./help-json.ts");
  const described = describeProgram(named, commands);
  process.stdout.write(`${toSafeJson(described, { indented: process.stdout.isTTY })}\n`);
}

function formatHelp(
  words: readonly string[],
  commands: readonly CommandDescription[],
  layout: Layout,
): string {
  if (words.length === 0) return formatRootHelp(commands, layout);
  return formatCommandHelp(findHelped(words, commands), commands, layout);
}

function findHelped(
  words: readonly string[],
  commands: readonly CommandDescription[],
): CommandDescription {
  const { command, rest } = findCommandNamed(words, commands);
  const isGroup = command !== undefined && listSubcommands(command.words, commands).length > 0;
  if (!command || (isGroup && rest.length > 0)) throw explainUnknownCommand(words, commands);
  return command;
}

/** Explains a topic: its words, and the meaning of each, without the backticks around code. */
export function formatTopic(
  { name, summary }: (typeof helpTopics)[number],
  commands: readonly CommandDescription[],
  { width, style }: Layout,
): string {
  const rows = topics[name](commands).map(
    ([left, right]) => [left, right.replaceAll("`", "")] as const,
  );
  return `${summary}\n\n${formatDefinitions(rows, width, style.cyan)}\n`;
}

function createLayout(): Layout {
  const width = Math.min(process.stdout.columns || 80, maxWidth);
  return { width, style: getStyle("stdout") };
}

/** First steps: a payment that succeeds, one that is declined, and a pipe. */
export const rootExamples = [
  "payments create --amount 4999 --currency eur --test-card visa",
  "payments create --amount 100 --currency usd --test-card expired-card --wait",
  "payments list --status failed --json | jq '.data[].decline_code'",
];

/** The help of the program: every top-level command under its heading, first steps, and where to read on. */
function formatRootHelp(commands: readonly CommandDescription[], layout: Layout): string {
  const { width, style } = layout;
  // The rows of all headings share the width of one left column.
  const rows = groupCommands(commands).map(([heading, members]) => ({
    heading,
    rows: members.map(toCommandRow),
  }));
  const widest = Math.max(...rows.flatMap((group) => group.rows.map(([name]) => name.length)));
  const formatRows = (list: readonly (readonly [string, string])[]) =>
    formatDefinitions(
      list.map(([name, text]) => [name.padEnd(widest), text] as const),
      width,
      style.cyan,
    );
  return joinSections([
    formatParagraphs(
      `${packageJson.description} Nothing needs to be set up: the first command works.`,
      width,
    ).join("\n"),
    formatSection("USAGE", `  ${program} <command> [flags]`, layout),
    ...rows.map((group) =>
      formatSection(group.heading.toUpperCase(), formatRows(group.rows), layout),
    ),
    formatSection(
      "FLAGS",
      formatRows([helpFlag, versionFlag].map((flag) => [formatFlagLabel(flag), flag.summary])),
      layout,
    ),
    formatSection("EXAMPLES", formatExamples(rootExamples), layout),
    formatSection(
      "READ ON",
      formatDefinitions(
        [
          [`${program} help <command>`, "How a command is used, with examples."],
          ...[...helpTopics, agentsTopic].map(
            ({ name, summary }) => [`${program} help ${name}`, summary] as const,
          ),
          ["README.md, docs/guide.md", "The documentation, in the package's folder."],
        ],
        width,
        (text) => text,
      ),
      layout,
    ),
  ]);
}

export type Layout = { width: number; style: ChalkInstance };

/** The help of one command: what it does, how it is typed, its arguments, flags and examples. */
export function formatCommandHelp(
  command: CommandDescription,
  commands: readonly CommandDescription[],
  layout: Layout,
): string {
  const { summary, description, examples } = command;
  return joinSections([
    formatParagraphs(summary, layout.width).join("\n"),
    description && formatParagraphs(description, layout.width).join("\n"),
    formatSection("USAGE", `  ${formatUsage(command, commands)}`, layout),
    formatList("COMMANDS", listSubcommands(command.words, commands).map(toCommandRow), layout),
    formatList(
      "ARGUMENTS",
      command.arguments.map((each) => [formatArgument(each), each.summary]),
      layout,
    ),
    ...groupFlags(command.flags).map(([group, flags]) =>
      formatList(group === undefined ? "FLAGS" : `${group} FLAGS`, toFlagRows(flags), layout),
    ),
    examples.length > 0 && formatSection("EXAMPLES", formatExamples(examples), layout),
  ]);
}

/** Flags under their headings: the command's own first, those of every command last. */
export function groupFlags(
  flags: readonly FlagDescription[],
): [group: string | undefined, flags: FlagDescription[]][] {
  const names = new Set([undefined, ...flags.map(({ group }) => group)]);
  const global = names.delete("GLOBAL") ? ["GLOBAL"] : [];
  return [...names, ...global].map((name) => [name, flags.filter(({ group }) => group === name)]);
}

/** Describes a flag: its summary, default and variable, and its values unless its label lists them. */
export function formatFlag(flag: FlagDescription): string {
  const isNamed = formatValue(flag).startsWith("<");
  const takesValue = flag.valueName !== undefined;
  return [
    flag.summary,
    ...(flag.values.length > 0 && isNamed ? [`One of ${flag.values.join(", ")}.`] : []),
    ...(flag.default === undefined || !takesValue ? [] : [`Default: ${flag.default}.`]),
    ...(flag.variable === undefined ? [] : [`Variable: ${flag.variable}.`]),
    ...(flag.required ? ["Required."] : []),
  ].join(" ");
}

/** `-y, --yes`, `    --data <path>`. */
function formatFlagLabel(flag: FlagDescription): string {
  const name = `--${flag.name}`;
  return [flag.char === undefined ? name : `-${flag.char}, ${name}`, formatValue(flag)]
    .filter(Boolean)
    .join(" ");
}

function formatSection(heading: string, body: string, { style }: Layout): string {
  return `${style.bold(heading)}\n${body}`;
}

function formatList(
  heading: string,
  rows: readonly Definition[],
  layout: Layout,
): string | undefined {
  if (rows.length === 0) return undefined;
  return formatSection(heading, formatDefinitions(rows, layout.width, layout.style.cyan), layout);
}

/** A command in the list of its group: its last word, and its summary. */
function toCommandRow({ words, summary }: CommandDescription): Definition {
  return [words.at(-1) ?? "", summary];
}

function formatExamples(commands: readonly string[]): string {
  return commands.map((command) => `  $ ${command}`).join("\n");
}

function joinSections(parts: readonly (string | undefined | false)[]): string {
  return `${parts.filter(Boolean).join("\n\n")}\n`;
}

function toFlagRows(flags: readonly FlagDescription[]): Definition[] {
  const hasLetters = flags.some(({ char }) => char !== undefined);
  return flags.map((flag) => [
    `${hasLetters && flag.char === undefined ? "    " : ""}${formatFlagLabel(flag)}`,
    formatFlag(flag),
  ]);
}

const indent = "  ";
/** A wider name gets a line of its own, so that it doesn't push all meanings to the right. */
const maxNameWidth = 32;
/** A narrower column is unreadable; a terminal without room for it may break the lines itself. */
const minMeaningWidth = 20;

type Definition = readonly [name: string, meaning: string];

/** Names and their meanings in two columns, the right one wrapped; `emphasize` styles the names. */
export function formatDefinitions(
  all: readonly Definition[],
  width: number,
  emphasize: (text: string) => string,
): string {
  const left = Math.max(
    0,
    ...all.map(([name]) => name.length).filter((length) => length <= maxNameWidth),
  );
  const right = Math.max(minMeaningWidth, width - indent.length - left - gapWidth);
  const drawn = drawRows(
    all.map(([name, meaning]) => [
      name.length > left ? "" : emphasize(name),
      formatParagraphs(meaning, right).join("\n"),
    ]),
  );
  return all
    .flatMap(([name], at) => [
      ...(name.length > left ? [emphasize(name)] : []),
      ...(drawn[at] ?? []),
    ])
    .map((line) => (indent + line).trimEnd())
    .join("\n");
}

/**
 * Breaks text between words into lines no wider than `width`, unless one word is. A line that begins with
 * spaces stays whole: it may be a command to copy.
 */
export function formatParagraphs(text: string, width: number): string[] {
  return text
    .split("\n")
    .flatMap((line) => (line.startsWith(" ") ? [line] : wrapText(line, width)));
}
