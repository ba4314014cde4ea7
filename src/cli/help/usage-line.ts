import { listSubcommands } from "./command-tree.ts";
import {
  helpFlag,
  program,
  type ArgumentDescription,
  type CommandDescription,
  type FlagDescription,
} from "./describe.ts";

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
  return [
    program,
    ...words,
    ...(isGroup ? ["<command>"] : []),
    ...args.map(formatArgument),
    ...required.map((flag) => [`--${flag.name}`, formatValue(flag)].filter(Boolean).join(" ")),
    ...(own.length > required.length ? ["[flags]"] : []),
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
  const short = values.join("|");
  return short.length <= maxValuesLength ? short : `<${valueName === "value" ? name : valueName}>`;
}

function joinValues(values: readonly string[], name: string): string {
  const short = values.join("|");
  return short.length <= maxValuesLength ? short : name;
}

/** The hint that shows the usage of a command. */
export function describeUsage(
  command: CommandDescription,
  commands: readonly CommandDescription[],
): string {
  return `Usage: ${formatUsage(command, commands)}`;
}

/** The hint that names the help of a command; without words, the list of commands. */
export function describeHelp(words: readonly string[]): string {
  if (words.length === 0) return `${program} help lists the commands.`;
  return `See ${[program, ...words].join(" ")} --help.`;
}

/** Makes a summary fit the end of another sentence. */
export function uncapitalize(text: string): string {
  return /^[A-Z](?:[a-z]| )/.test(text) ? text.slice(0, 1).toLowerCase() + text.slice(1) : text;
}
