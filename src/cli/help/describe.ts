import type { Command } from "@oclif/core/command";
import manifest from "../../../oclif.manifest.json" with { type: "json" };
import { currencies } from "../../contract/field-values.ts";
import { eventTypes } from "../../contract/field-values.ts";
import { expectedOutcomes } from "../flags/waiting.ts";
import { commandGroups } from "./command-groups.ts";

/** The name by which a user runs this program. */
export const program = "payments";

export type FlagDescription = {
  name: string;
  /** The letter that stands for it. */
  char: string | undefined;
  summary: string;
  /** The name of its value; undefined where it takes none. */
  valueName: string | undefined;
  /** The values there are, where they are a fixed set. */
  values: readonly string[];
  takesPath: boolean;
  default: string | undefined;
  /** The variable that sets it, too. */
  variable: string | undefined;
  required: boolean;
  repeatable: boolean;
  /** Its heading in the help; undefined for the command's own flags. */
  group: string | undefined;
};

export type ArgumentDescription = {
  name: string;
  summary: string;
  values: readonly string[];
  takesPath: boolean;
  required: boolean;
  repeatable: boolean;
};

export type CommandDescription = {
  /** The words that name it: `keys create`. */
  words: readonly string[];
  summary: string;
  description: string | undefined;
  arguments: readonly ArgumentDescription[];
  flags: readonly FlagDescription[];
  examples: readonly string[];
};

/**
 * The values of flags for which oclif accepts any value, since a later check has its own rule: capital
 * letters (`--currency EUR`), or lists.
 */
export const openValues: Readonly<Record<string, readonly string[]>> = {
  currency: currencies,
  events: eventTypes,
  expect: expectedOutcomes,
};

/** The flags that oclif accepts although no command declares them. */
export const helpFlag = describeStandingFlag("help", "h", "Show help.");
export const versionFlag = describeStandingFlag("version", "v", "Show the version.");

/** Lists every command, by default of the built manifest, and every group of them, without loading any. */
export function listCommands(commands: object = manifest.commands): CommandDescription[] {
  const groups = Object.entries(commandGroups).map(
    ([word, { summary, description, examples }]): CommandDescription => ({
      words: [word],
      summary,
      description,
      arguments: [],
      flags: [helpFlag],
      examples,
    }),
  );
  return [...groups, ...describeCommands(Object.values(commands) as Command.Cached[])];
}

/** Describes oclif's commands as plain data for completion, help, suggestions and the reference. */
export function describeCommands(commands: readonly Command.Cached[]): CommandDescription[] {
  return commands
    .filter(({ hidden }) => !hidden)
    .map((command) => ({
      words: command.id.split(":"),
      summary: command.summary ?? "",
      description: command.description,
      arguments: Object.values(command.args)
        .filter(({ hidden }) => !hidden)
        .map(describeArgument),
      flags: [
        ...Object.values(command.flags)
          .filter(({ hidden }) => !hidden)
          .map(describeFlag),
        helpFlag,
      ],
      examples: (command.examples ?? []) as string[],
    }));
}

function describeFlag(flag: Command.Flag.Cached): FlagDescription {
  const takesValue = flag.type === "option";
  const values = takesValue ? (flag.options ?? openValues[flag.name] ?? []) : [];
  return {
    name: flag.name,
    char: flag.char,
    summary: flag.summary ?? flag.description ?? "",
    valueName: takesValue ? toValueName(flag.helpValue) : undefined,
    values,
    takesPath: takesValue && flag.helpValue === "<path>",
    default: takesValue && flag.default !== undefined ? String(flag.default) : undefined,
    variable: flag.env,
    required: flag.required ?? false,
    repeatable: takesValue && (flag.multiple ?? false),
    group: flag.helpGroup,
  };
}

function describeStandingFlag(name: string, char: "h" | "v", summary: string): FlagDescription {
  return describeFlag({ type: "boolean", name, char, summary, allowNo: false });
}

function describeArgument(argument: Command.Arg.Cached): ArgumentDescription {
  return {
    name: argument.name,
    summary: argument.description ?? "",
    values: argument.options ?? [],
    takesPath: argument.name === "file",
    required: argument.required ?? false,
    repeatable: argument.multiple ?? false,
  };
}

function toValueName(helpValue: string | string[] | undefined): string {
  return [helpValue ?? "value"].flat().join(" ").replaceAll(/[<>]/g, "");
}
