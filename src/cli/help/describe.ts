import type { Command } from "@oclif/core/command";
import manifest from "../../../oclif.manifest.json" with { type: "json" };
import { eventTypes } from "../../contract/event-values.ts";
import { currencies } from "../../contract/payment-values.ts";
import { expectedOutcomes } from "../parse/waiting.ts";

/** What a person types to run the command. */
export const program = "payments";

export type FlagDescription = {
  name: string;
  /** The letter that stands for it. */
  char: string | undefined;
  summary: string;
  /** What its value is called; undefined where it takes none. */
  valueName: string | undefined;
  /** The values there are, where they are a fixed set. */
  values: readonly string[];
  takesPath: boolean;
  default: string | undefined;
  required: boolean;
  repeatable: boolean;
  /** The heading it stands under; undefined for the command's own. */
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
  examples: readonly { summary: string | undefined; command: string }[];
};

/**
 * The values of flags that oclif takes any value for: what they may be is checked later, in either
 * case (`--currency EUR`) or by the flag's own rule.
 */
export const openValues: Readonly<Record<string, readonly string[]>> = {
  currency: currencies,
  events: eventTypes,
  expect: expectedOutcomes,
};

/** The flags that oclif understands by itself, without a command's declaring them. */
export const helpFlag = standingFlag("help", "h", "Show help.");
export const versionFlag = standingFlag("version", "v", "Show the version.");

/** Every command there is, as it was built: none of them is loaded for it. */
export function listCommands(): CommandDescription[] {
  return describeCommands(Object.values(manifest.commands) as unknown as Command.Cached[]);
}

/** oclif's commands as plain data, which completion, help, suggestions and the reference are made of. */
export function describeCommands(commands: readonly Command.Cached[]): CommandDescription[] {
  return commands
    .filter(({ hidden }) => !hidden)
    .map((command) => ({
      words: command.id.split(":"),
      summary: command.summary ?? "",
      description: command.description,
      arguments: Object.values(command.args)
        .filter(({ hidden }) => !hidden)
        .map(argumentOf),
      flags: [
        ...Object.values(command.flags)
          .filter(({ hidden }) => !hidden)
          .map(flagOf),
        helpFlag,
      ],
      examples: (command.examples ?? []).map(exampleOf),
    }));
}

function flagOf(flag: Command.Flag.Cached): FlagDescription {
  const takesValue = flag.type === "option";
  const values = takesValue ? (flag.options ?? openValues[flag.name] ?? []) : [];
  return {
    name: flag.name,
    char: flag.char,
    summary: flag.summary ?? flag.description ?? "",
    valueName: takesValue ? valueName(flag.helpValue) : undefined,
    values,
    takesPath: takesValue && flag.helpValue === "<path>",
    default: takesValue && flag.default !== undefined ? String(flag.default) : undefined,
    required: flag.required ?? false,
    repeatable: takesValue && (flag.multiple ?? false),
    group: flag.helpGroup,
  };
}

function standingFlag(name: string, char: string, summary: string): FlagDescription {
  return {
    name,
    char,
    summary,
    valueName: undefined,
    values: [],
    takesPath: false,
    default: undefined,
    required: false,
    repeatable: false,
    group: undefined,
  };
}

function argumentOf(argument: Command.Arg.Cached): ArgumentDescription {
  return {
    name: argument.name,
    summary: argument.description ?? "",
    values: argument.options ?? [],
    takesPath: argument.name === "file",
    required: argument.required ?? false,
    repeatable: argument.multiple ?? false,
  };
}

function exampleOf(example: Command.Example): CommandDescription["examples"][number] {
  const { command, description } =
    typeof example === "string" ? { command: example, description: undefined } : example;
  return {
    summary: description,
    command: command.replaceAll(/<%=\s*config\.bin\s*%>/g, program),
  };
}

function valueName(helpValue: string | string[] | undefined): string {
  return [helpValue ?? "value"].flat().join(" ").replaceAll(/[<>]/g, "");
}
