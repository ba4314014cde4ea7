import {
  helpFlag,
  program,
  type ArgumentDescription,
  type CommandDescription,
  type FlagDescription,
} from "./describe.ts";

/** The headings of the list of commands, and the commands under each, in the order in which a user needs them. */
const groups = {
  Payments: [
    "create",
    "get",
    "explain",
    "list",
    "refund",
    "cancel",
    "pay",
    "report",
    "reconcile",
    "test-cards",
  ],
  Events: ["listen", "trigger", "events", "webhooks", "logs"],
  Testing: ["sandbox", "fixtures"],
  Settings: ["login", "logout", "context", "mode", "whoami"],
  Service: [
    "serve",
    "doctor",
    "health",
    "dashboard",
    "accounts",
    "keys",
    "operators",
    "activity",
    "network",
    "migrate",
    "backup",
  ],
  More: ["api", "completion", "licenses", "help"],
} as const;

/** The topics that `payments help` explains besides the commands. */
export const helpTopics = [
  { name: "exit-codes", summary: "What each exit code means." },
  { name: "environment", summary: "The variables that commands read." },
] as const;

/** The page for a program that drives this one, docs/agents.md. */
export const agentsTopic = { name: "agents", summary: "How a program drives this one." } as const;
export type HelpTopic = (typeof helpTopics)[number]["name"];

const order: readonly string[] = [
  ...Object.values(groups).flat(),
  "show",
  "use",
  "tail",
  "resend",
  "deliveries",
  "test",
  "check",
  "recover",
  "rename",
  "invite",
  "remove",
  "update",
  "roll",
  "revoke",
  "enable",
  "disable",
  "delete",
  "exec",
  "reset",
  "clock",
  "account",
  "fault",
  "faults",
  "requests",
];

/** The commands one word below another (without words: the top level), in the order of `groups`. */
export function listSubcommands(
  words: readonly string[],
  commands: readonly CommandDescription[],
): CommandDescription[] {
  return commands
    .filter(
      (command) =>
        command.words.length === words.length + 1 &&
        words.every((word, at) => command.words[at] === word),
    )
    .toSorted((a, b) => rank(a) - rank(b));
}

/** The top-level commands under their headings; a command in no group comes under the last heading. */
export function groupCommands(
  commands: readonly CommandDescription[],
): [heading: string, commands: CommandDescription[]][] {
  const first = listSubcommands([], commands);
  return Object.keys(groups).map((heading) => [
    heading,
    first.filter((command) => findGroup(command) === heading),
  ]);
}

/** The words before the first flag; splits a first word such as `keys:create`, which oclif accepts too. */
export function toCommandLine(
  argv: readonly string[],
  commands: readonly CommandDescription[],
): readonly string[] {
  const end = argv.findIndex((word) => word.startsWith("-"));
  const [first, ...rest] = end === -1 ? argv : argv.slice(0, end);
  if (first === undefined) return [];
  const joined = commands.find(({ words }) => words.join(":") === first);
  return [...(joined?.words ?? [first]), ...rest];
}

/** The command that a command line names, and the words after its name. */
export function findCommandNamed(
  line: readonly string[],
  commands: readonly CommandDescription[],
): { command: CommandDescription | undefined; rest: readonly string[] } {
  const [command] = commands
    .filter(({ words }) => words.every((word, at) => line[at] === word))
    .toSorted((a, b) => b.words.length - a.words.length);
  return { command, rest: line.slice(command?.words.length ?? 0) };
}

function findGroup({ words: [word] }: CommandDescription): string {
  const group = Object.entries(groups).find(([, names]) => names.some((name) => name === word));
  return group?.[0] ?? "More";
}

/** A command that the order does not list comes last. */
function rank({ words }: CommandDescription): number {
  const at = order.indexOf(words.at(-1) ?? "");
  return at === -1 ? order.length : at;
}

/** A longer list of values is replaced by the value's name. */
const maxValuesLength = 24;

/** The usage of a command: `payments keys create --mode test|live --name <name> [flags]`. */
export function formatUsage(
  { words, arguments: args, flags }: CommandDescription,
  commands: readonly CommandDescription[],
): string {
  const isGroup = listSubcommands(words, commands).length > 0;
  const own = flags.filter((flag) => flag !== helpFlag);
  const required = own.filter((flag) => flag.required);
  const [named, rest] = [
    args.filter((arg) => !arg.repeatable),
    args.filter((arg) => arg.repeatable),
  ];
  return [
    program,
    ...words,
    ...(isGroup ? [own.length > 0 ? "[command]" : "<command>"] : []),
    ...named.map(formatArgument),
    ...required.map((flag) => [`--${flag.name}`, formatValue(flag)].filter(Boolean).join(" ")),
    ...(own.length > required.length ? ["[flags]"] : []),
    ...rest.flatMap((arg) => ["--", formatArgument(arg)]),
  ].join(" ");
}

/** `<id>`, `[id]` where it may be left out. */
export function formatArgument({
  name,
  values,
  required,
  repeatable,
}: ArgumentDescription): string {
  const label = values.length > 0 ? joinValues(values, name) : name;
  return `${required ? `<${label}>` : `[${label}]`}${repeatable ? "..." : ""}`;
}

/** The value after a flag: `<path>`, or `test|live` for a few fixed values; empty for a switch. */
export function formatValue({ valueName, values, name }: FlagDescription): string {
  if (valueName === undefined) return "";
  if (values.length === 0) return `<${valueName}>`;
  return joinValues(values, `<${valueName === "value" ? name : valueName}>`);
}

function joinValues(values: readonly string[], name: string): string {
  const short = values.join("|");
  return short.length <= maxValuesLength ? short : name;
}

/** The hint that names the help of a command; without words, the list of commands. */
export function describeHelp(words: readonly string[]): string {
  if (words.length === 0) return `${program} help lists the commands.`;
  return `See ${[program, ...words].join(" ")} --help.`;
}
