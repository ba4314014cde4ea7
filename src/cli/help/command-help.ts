import type { ChalkInstance } from "chalk";
import { commandsBelow } from "./command-tree.ts";
import type { CommandDescription, FlagDescription } from "./describe.ts";
import { argumentLabel, usageLine, valueLabel } from "./usage-line.ts";
import { definitions, paragraphs, type Definition } from "./definitions.ts";

export type Layout = { width: number; style: ChalkInstance };

/** The help of one command: what it does, how it is typed, its arguments, flags and examples. */
export function commandHelp(
  command: CommandDescription,
  commands: readonly CommandDescription[],
  layout: Layout,
): string {
  const { summary, description, examples } = command;
  return joined([
    paragraphs(summary, layout.width).join("\n"),
    description && paragraphs(description, layout.width).join("\n"),
    section("USAGE", `  ${usageLine(command, commands)}`, layout),
    list("COMMANDS", commandsBelow(command.words, commands).map(commandRow), layout),
    list("ARGUMENTS", command.arguments.map(argumentRow), layout),
    ...flagGroups(command.flags).map(([group, flags]) =>
      list(group === undefined ? "FLAGS" : `${group} FLAGS`, flagRows(flags), layout),
    ),
    examples.length > 0 && section("EXAMPLES", examples.map(exampleText).join("\n"), layout),
  ]);
}

/** Flags under their headings: the command's own first, those of every command last. */
export function flagGroups(
  flags: readonly FlagDescription[],
): [group: string | undefined, flags: FlagDescription[]][] {
  const names = new Set([undefined, ...flags.map(({ group }) => group)]);
  const global = names.delete("GLOBAL") ? ["GLOBAL"] : [];
  return [...names, ...global].map((name) => [name, flags.filter(({ group }) => group === name)]);
}

/** What is said of a flag, with its values where they don't stand beside its name, and its default. */
export function flagText(flag: FlagDescription): string {
  const isNamed = valueLabel(flag).startsWith("<");
  return [
    flag.summary,
    ...(flag.values.length > 0 && isNamed ? [`One of ${flag.values.join(", ")}.`] : []),
    ...(flag.default === undefined ? [] : [`Default: ${flag.default}.`]),
    ...(flag.required ? ["Required."] : []),
  ].join(" ");
}

/** `-y, --yes`, `    --data <path>`. */
export function flagLabel(flag: FlagDescription): string {
  const name = `--${flag.name}`;
  return [flag.char === undefined ? name : `-${flag.char}, ${name}`, valueLabel(flag)]
    .filter(Boolean)
    .join(" ");
}

export function section(heading: string, body: string, { style }: Layout): string {
  return `${style.bold(heading)}\n${body}`;
}

function list(heading: string, rows: readonly Definition[], layout: Layout): string | undefined {
  if (rows.length === 0) return undefined;
  return section(heading, definitions(rows, layout.width, layout.style.cyan), layout);
}

/** A command as its help is listed above it: by its last word. */
export function commandRow({ words, summary }: CommandDescription): Definition {
  return [words.at(-1) ?? "", summary];
}

export function exampleText({ summary, command }: CommandDescription["examples"][number]): string {
  return [...(summary === undefined ? [] : [`  # ${summary}`]), `  $ ${command}`].join("\n");
}

export function joined(parts: readonly (string | undefined | false)[]): string {
  return `${parts.filter(Boolean).join("\n\n")}\n`;
}

function argumentRow(argument: CommandDescription["arguments"][number]): Definition {
  return [argumentLabel(argument), argument.summary];
}

function flagRows(flags: readonly FlagDescription[]): Definition[] {
  const hasLetters = flags.some(({ char }) => char !== undefined);
  return flags.map((flag) => [
    `${hasLetters && flag.char === undefined ? "    " : ""}${flagLabel(flag)}`,
    flagText(flag),
  ]);
}
