import { helpFlag, program, versionFlag, type CommandDescription } from "./describe.ts";
import { groupCommands, helpTopics } from "./command-tree.ts";
import { formatDefinitions, formatParagraphs } from "./definitions.ts";
import {
  toCommandRow,
  formatExample,
  formatFlagLabel,
  joinSections,
  formatSection,
  type Layout,
} from "./command-help.ts";

/** First steps: a payment that succeeds, one that is declined, and a pipe. */
export const rootExamples = [
  "payments create --amount 4999 --currency eur --test-card visa",
  "payments create --amount 100 --currency usd --test-card expired-card --wait",
  "payments list --status failed --json | jq '.data[].decline_code'",
];

/** The help of the program: every top-level command under its heading, first steps, and where to read on. */
export function formatRootHelp(
  promise: string,
  commands: readonly CommandDescription[],
  layout: Layout,
): string {
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
    formatParagraphs(`${promise} Nothing needs to be set up: the first command works.`, width).join(
      "\n",
    ),
    formatSection("USAGE", `  ${program} <command> [flags]`, layout),
    ...rows.map((group) =>
      formatSection(group.heading.toUpperCase(), formatRows(group.rows), layout),
    ),
    formatSection(
      "FLAGS",
      formatRows([helpFlag, versionFlag].map((flag) => [formatFlagLabel(flag), flag.summary])),
      layout,
    ),
    formatSection(
      "EXAMPLES",
      rootExamples.map((command) => formatExample({ summary: undefined, command })).join("\n"),
      layout,
    ),
    formatSection(
      "READ ON",
      formatDefinitions(
        [
          [`${program} help <command>`, "How a command is used, with examples."],
          ...helpTopics.map(({ name, summary }) => [`${program} help ${name}`, summary] as const),
          ["README.md, docs/commands.md", "The documentation, in the package's folder."],
        ],
        width,
        (text) => text,
      ),
      layout,
    ),
  ]);
}
