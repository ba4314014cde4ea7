import { helpFlag, program, versionFlag, type CommandDescription } from "./describe.ts";
import { groupedCommands, helpTopics } from "./command-tree.ts";
import { definitions, paragraphs } from "./definitions.ts";
import {
  commandRow,
  exampleText,
  flagLabel,
  joined,
  section,
  type Layout,
} from "./command-help.ts";

/** The first steps: one that succeeds, one that is declined, and a pipe. */
export const rootExamples = [
  "payments create --amount 4999 --currency eur --test-card visa",
  "payments create --amount 100 --currency usd --test-card expired-card --wait",
  "payments list --status failed --json | jq '.data[].decline_code'",
];

/** The help of the whole: every first command under its heading, a start, and where to read on. */
export function rootHelp(
  promise: string,
  commands: readonly CommandDescription[],
  layout: Layout,
): string {
  const { width, style } = layout;
  // One left column for all headings.
  const rows = groupedCommands(commands).map(([heading, members]) => ({
    heading,
    rows: members.map(commandRow),
  }));
  const widest = Math.max(...rows.flatMap((group) => group.rows.map(([name]) => name.length)));
  const shown = (list: readonly (readonly [string, string])[]) =>
    definitions(
      list.map(([name, text]) => [name.padEnd(widest), text] as const),
      width,
      style.cyan,
    );
  return joined([
    paragraphs(`${promise} Nothing needs to be set up: the first command works.`, width).join("\n"),
    section("USAGE", `  ${program} <command> [flags]`, layout),
    ...rows.map((group) => section(group.heading.toUpperCase(), shown(group.rows), layout)),
    section(
      "FLAGS",
      shown([helpFlag, versionFlag].map((flag) => [flagLabel(flag), flag.summary])),
      layout,
    ),
    section(
      "EXAMPLES",
      rootExamples.map((command) => exampleText({ summary: undefined, command })).join("\n"),
      layout,
    ),
    section(
      "READ ON",
      definitions(
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
