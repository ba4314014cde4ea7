import packageJson from "../package.json" with { type: "json" };
import { exitCodeMeanings } from "../src/cli/output/exit-codes.ts";
import { formatFlag, groupFlags, rootExamples } from "../src/cli/help/show-help.ts";
import {
  formatArgument,
  formatUsage,
  formatValue,
  groupCommands,
  listSubcommands,
} from "../src/cli/help/command-tree.ts";
import {
  helpFlag,
  program,
  versionFlag,
  type CommandDescription,
  type FlagDescription,
} from "../src/cli/help/describe.ts";
import { listVariables } from "../src/cli/help/environment.ts";
import { formatExamples, formatSentences, formatText, type ManPage, toPage } from "./roff.ts";

type Row = readonly [name: string, meaning: string];

const [exitCodes, environment] = [`${program}-exit-codes`, `${program}-environment`];

/** Makes the manual: a page of the program, one of each command, and one of each topic. */
export function toManPages(commands: readonly CommandDescription[]): ManPage[] {
  const pages = [
    describeProgram(commands),
    ...commands.map((command) => describeCommand(command, commands)),
    toTopic(exitCodes, "what each exit code means", exitCodeMeanings),
    toTopic(environment, "the variables that commands read", listVariables(commands)),
  ];
  return pages.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function describeProgram(commands: readonly CommandDescription[]): ManPage {
  const { description } = packageJson;
  return toPage(program, 1, "card payments from a terminal", [
    ["SYNOPSIS", `\\fB${program}\\fR \\fIcommand\\fR [flags]`],
    ["DESCRIPTION", formatSentences(`${description} Nothing needs to be set up.`)],
    ...groupCommands(commands).map(([heading, members]) => {
      const rows = members.map(({ words, summary }): Row => [
        words.join(" "),
        `${summary} See ${toPageName(words)}(1).`,
      ]);
      return [heading.toUpperCase(), formatRows(rows)] as const;
    }),
    ["FLAGS", formatRows([helpFlag, versionFlag].map(toFlagRow))],
    ["EXAMPLES", formatExamples(rootExamples)],
    ["EXIT STATUS", `See ${toReference(exitCodes, 7)}.`],
    [
      "SEE ALSO",
      formatReferences([
        [exitCodes, 7],
        [environment, 7],
      ]),
    ],
  ]);
}

function describeCommand(
  command: CommandDescription,
  commands: readonly CommandDescription[],
): ManPage {
  const { words, summary, description, flags, examples } = command;
  const below = listSubcommands(words, commands);
  const usage = formatUsage(command, commands);
  const name = [program, ...words].join(" ");
  const variables = flags.flatMap(({ variable, name: flag }) =>
    variable === undefined ? [] : [[variable, `Sets --${flag}, which wins.`] as const],
  );
  const parent = words.length > 1 ? toPageName(words.slice(0, -1)) : program;
  return toPage(toPageName(words), 1, toTitle(summary), [
    ["SYNOPSIS", `\\fB${formatText(name)}\\fR${formatText(usage.slice(name.length))}`],
    [
      "DESCRIPTION",
      [summary, description ?? ""].filter(Boolean).map(formatSentences).join("\n.PP\n"),
    ],
    [
      "COMMANDS",
      formatRows(
        below.map((each) => [
          each.words.join(" "),
          `${each.summary} See ${toPageName(each.words)}(1).`,
        ]),
      ),
    ],
    [
      "ARGUMENTS",
      formatRows(command.arguments.map((each) => [formatArgument(each), each.summary])),
    ],
    ...groupFlags(flags).map(
      ([group, members]) =>
        [
          group === undefined ? "FLAGS" : `${group} FLAGS`,
          formatRows(members.map(toFlagRow)),
        ] as const,
    ),
    ["ENVIRONMENT", formatRows(variables)],
    ["EXAMPLES", formatExamples(examples)],
    [
      "SEE ALSO",
      formatReferences([
        [parent, 1],
        [exitCodes, 7],
        [environment, 7],
      ]),
    ],
  ]);
}

function toTopic(name: string, title: string, rows: readonly Row[]): ManPage {
  return toPage(name, 7, title, [
    ["DESCRIPTION", formatRows(rows)],
    ["SEE ALSO", formatReferences([[program, 1]])],
  ]);
}

/** `payments-keys-create` */
function toPageName(words: readonly string[]): string {
  return [program, ...words].join("-");
}

/** A summary as part of a list of pages: its first sentence, without a capital and a full stop. */
function toTitle(summary: string): string {
  const text = summary.replace(/\.(?: .*)?$/, "");
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}

function toFlagRow(flag: FlagDescription): Row {
  const label = [flag.char && `-${flag.char}`, `--${flag.name}`].filter(Boolean).join(", ");
  return [`${label} ${formatValue(flag)}`.trim(), formatFlag(flag)];
}

function formatRows(rows: readonly Row[]): string {
  return rows
    .map(([name, meaning]) => `.TP\n\\fB${formatText(name)}\\fR\n${formatSentences(meaning)}`)
    .join("\n");
}

function formatReferences(pages: readonly (readonly [name: string, section: number])[]): string {
  return pages.map(([name, section]) => toReference(name, section)).join(",\n");
}

function toReference(name: string, section: number): string {
  return `\\fB${formatText(name)}\\fR(${section})`;
}
