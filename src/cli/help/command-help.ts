import type { ChalkInstance } from "chalk";
import { gapWidth } from "../output/resource.ts";
import { drawRows } from "../output/table.ts";
import { wrapText } from "../output/text-layout.ts";
import { formatArgument, formatUsage, formatValue, listSubcommands } from "./command-tree.ts";
import type { CommandDescription, FlagDescription } from "./describe.ts";

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
  return [
    flag.summary,
    ...(flag.values.length > 0 && isNamed ? [`One of ${flag.values.join(", ")}.`] : []),
    ...(flag.default === undefined ? [] : [`Default: ${flag.default}.`]),
    ...(flag.variable === undefined ? [] : [`Variable: ${flag.variable}.`]),
    ...(flag.required ? ["Required."] : []),
  ].join(" ");
}

/** `-y, --yes`, `    --data <path>`. */
export function formatFlagLabel(flag: FlagDescription): string {
  const name = `--${flag.name}`;
  return [flag.char === undefined ? name : `-${flag.char}, ${name}`, formatValue(flag)]
    .filter(Boolean)
    .join(" ");
}

export function formatSection(heading: string, body: string, { style }: Layout): string {
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
export function toCommandRow({ words, summary }: CommandDescription): Definition {
  return [words.at(-1) ?? "", summary];
}

export function formatExamples(commands: readonly string[]): string {
  return commands.map((command) => `  $ ${command}`).join("\n");
}

export function joinSections(parts: readonly (string | undefined | false)[]): string {
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

export type Definition = readonly [name: string, meaning: string];

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
