import type { Command } from "@oclif/core/command";
import manifest from "../../../oclif.manifest.json" with { type: "json" };
import { eventTypes } from "../../contract/field-values.ts";
import { currencies } from "../../contract/money.ts";
import { expectedOutcomes } from "../flags/waiting.ts";
import type { CommandFacts } from "../output/command-facts.ts";

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
  /** The flags with which it contradicts. */
  excludes: readonly string[];
  /** Lists of flags, of each of which one must be given, too. */
  needs: readonly (readonly string[])[];
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
  /** Undefined for a group of commands. */
  facts: CommandFacts | undefined;
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
      facts: undefined,
    }),
  );
  return [...groups, ...describeCommands(Object.values(commands) as Command.Cached[])];
}

/**
 * Describes oclif's commands for completion, help, suggestions and the reference. Arguments and flags are described when
 * they are read: of all commands, completion and help read those of one.
 */
export function describeCommands(commands: readonly Command.Cached[]): CommandDescription[] {
  return commands
    .filter(({ hidden }) => !hidden)
    .map((command) => ({
      words: command.id.split(":"),
      summary: command.summary ?? "",
      description: command.description,
      get arguments() {
        return Object.values(command.args)
          .filter(({ hidden }) => !hidden)
          .map(describeArgument);
      },
      get flags() {
        const shown = Object.values(command.flags).filter(({ hidden }) => !hidden);
        return [...shown.map((flag) => describeFlag(flag, shown)), helpFlag];
      },
      examples: (command.examples ?? []) as string[],
      facts: command["facts"] as CommandFacts | undefined,
    }));
}

/** `all`: the flags of its command. */
function describeFlag(
  flag: Command.Flag.Cached,
  all: readonly Command.Flag.Cached[],
): FlagDescription {
  const takesValue = flag.type === "option";
  const values = takesValue ? (flag.options ?? openValues[flag.name] ?? []) : [];
  return {
    name: flag.name,
    char: flag.char,
    summary: flag.summary ?? flag.description ?? "",
    valueName: takesValue ? toValueName(flag.helpValue) : undefined,
    values,
    takesPath: takesValue && flag.helpValue === "<path>",
    default:
      flag.default === undefined || flag.default === false ? undefined : String(flag.default),
    variable: flag.env,
    required: flag.required ?? false,
    repeatable: takesValue && (flag.multiple ?? false),
    excludes: all
      .filter(({ name, exclusive }) => {
        return flag.exclusive?.includes(name) || exclusive?.includes(flag.name);
      })
      .map(({ name }) => name),
    needs: [
      ...(flag.dependsOn ?? []).map((name) => [name]),
      ...(flag.relationships ?? []).map(({ flags }) => flags.map(String)),
    ],
    group: flag.helpGroup,
  };
}

function describeStandingFlag(name: string, char: "h" | "v", summary: string): FlagDescription {
  return describeFlag({ type: "boolean", name, char, summary, allowNo: false }, []);
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

/** The words that begin several commands: `payments keys` alone shows the help of those. */
export const commandGroups: Readonly<
  Record<string, { summary: string; description?: string; examples: readonly string[] }>
> = {
  accounts: {
    summary: "Create, list and rename accounts, one for each merchant.",
    description:
      "For an operator: these commands work on the service's own database, without a running service. Accounts never see each other's data.",
    examples: ['payments accounts create --name "Books & Co"', "payments accounts list"],
  },
  activity: {
    summary: "List who did what in an account.",
    description:
      "For an operator: this command works on the service's own database, without a running service. The audit log has what operators, API keys and commands changed, and is stored for a year.",
    examples: [
      "payments activity list --since 24h",
      "payments activity list --action payment.refunded --all -o csv",
    ],
  },
  context: {
    summary: "List, choose, rename and delete the places to work in.",
    description:
      "A context is a service with a key for each mode, an API version, and the mode in use: staging, production. payments login --context NAME makes one. `embedded`, the service inside this program, is always there. As soon as there are two, what happens in live mode names its context.",
    examples: [
      "payments context list",
      "payments context use staging",
      "payments context show --json",
    ],
  },
  events: {
    summary: "List events of payments, and send them again.",
    description:
      "An event records that the status of a payment changed. Events are deleted after 30 days, unless the service has another --event-retention.",
    examples: [
      "payments events list --type payment.failed",
      "payments events get evt_0199c5a8-7f3e-7abc-9def-0123456789ab",
    ],
  },
  keys: {
    summary: "Create, list, roll and revoke API keys.",
    description:
      "For an operator: these commands work on the service's own database, without a running service.",
    examples: ["payments keys create --mode test --name ci", "payments keys list"],
  },
  logs: {
    summary: "List, show and follow the requests that the service logged.",
    description:
      "Every request that wrote, was refused or failed is logged, without its body, card numbers and keys. Requests are deleted after 7 days, unless the service has another --request-log.",
    examples: [
      "payments logs list --status 4xx,5xx",
      "payments logs get req_0199c5a8-7f3e-7abc-9def-0123456789ab",
      "payments logs tail",
    ],
  },
  network: {
    summary: "Check the adapter of a card network.",
    description:
      "For an operator who takes real payments: an adapter connects the service to the card network.",
    examples: ["payments network check https://adapter.example.com"],
  },
  operators: {
    summary: "Invite, list and remove operators of the dashboard.",
    description:
      "These commands work on the service's own database, without a running service. A viewer can read, support can also see the log of requests, and refund and cancel payments, an admin can also manage keys, webhooks and the team of their accounts.",
    examples: ["payments operators invite --name Ada --role admin", "payments operators list"],
  },
  webhooks: {
    summary: "Manage the endpoints that events are sent to.",
    examples: [
      "payments webhooks create --url https://shop.example/hooks",
      "payments webhooks list",
    ],
  },
};
