import packageJson from "../../../package.json" with { type: "json" };
import { exitCodeMeanings } from "../errors/command-error.ts";
import { getStyle } from "../output/style.ts";
import {
  formatCommandHelp,
  formatDefinitions,
  formatExamples,
  formatFlagLabel,
  formatParagraphs,
  formatSection,
  joinSections,
  toCommandRow,
  type Definition,
  type Layout,
} from "./command-help.ts";
import { commandGroups } from "./command-groups.ts";
import {
  findCommandNamed,
  groupCommands,
  helpTopics,
  listSubcommands,
  toCommandLine,
  type HelpTopic,
} from "./command-tree.ts";
import {
  helpFlag,
  listCommands,
  program,
  versionFlag,
  type CommandDescription,
} from "./describe.ts";
import { listVariables } from "./environment.ts";
import { explainNoCommand, explainUnknownCommand } from "./unknown-command.ts";

const maxWidth = 100;

type Topic = (commands: readonly CommandDescription[]) => readonly Definition[];

const topics: Record<HelpTopic, Topic> = {
  "exit-codes": () => exitCodeMeanings,
  environment: listVariables,
};

/**
 * Prints the help for `--help`, and for a command line without a command. Errors: words that name no command.
 */
export function showHelp(argv: readonly string[]): void {
  const commands = listCommands();
  const line = toCommandLine(argv, commands);
  // `payments help list` is about `list`; `payments help --help` is about `help`.
  const isHelp = line[0] === "help" && (line.length > 1 || argv.length === 1);
  const words = isHelp ? line.slice(1) : line;
  const topic = helpTopics.find(({ name }) => words.length === 1 && words[0] === name);
  const layout = createLayout();
  process.stdout.write(
    topic ? formatTopic(topic, commands, layout) : formatHelp(words, commands, layout),
  );
}

/** Prints the help of a group of commands. Errors: the command line names neither a group nor a command. */
export function showGroup(argv: readonly string[]): void {
  const [word = "", ...rest] = argv;
  const isGroup = Object.hasOwn(commandGroups, word) && rest.every((each) => each === "--");
  if (!isGroup) throw explainNoCommand(argv);
  showHelp(argv);
}

function formatHelp(
  words: readonly string[],
  commands: readonly CommandDescription[],
  layout: Layout,
): string {
  if (words.length === 0) return formatRootHelp(commands, layout);
  const { command, rest } = findCommandNamed(words, commands);
  const isGroup = command !== undefined && listSubcommands(command.words, commands).length > 0;
  if (!command || (isGroup && rest.length > 0)) throw explainUnknownCommand(words, commands);
  return formatCommandHelp(command, commands, layout);
}

/** Explains a topic: what each of its words means, where any backticks are left out. */
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
  // All headings share the width of one left column.
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
          ...helpTopics.map(({ name, summary }) => [`${program} help ${name}`, summary] as const),
          ["README.md, docs/guide.md", "The documentation, in the package's folder."],
        ],
        width,
        (text) => text,
      ),
      layout,
    ),
  ]);
}
