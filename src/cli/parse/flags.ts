import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { IntegerError } from "../errors/command-error.ts";
import type { ResourceName } from "../output/resource.ts";
import { formats } from "../output/rendered.ts";

/** A flag that takes any text. */
export function textFlag(summary: string, helpValue: string, helpGroup?: string) {
  return Flags.string({ summary, helpValue, ...(helpGroup !== undefined && { helpGroup }) });
}

/** A flag without a value. */
export function switchFlag(summary: string, helpGroup?: string) {
  return Flags.boolean({ summary, ...(helpGroup !== undefined && { helpGroup }) });
}

/** An integer, within limits where there are some. */
export const integerFlag = Flags.custom<number, { min?: number; max?: number }>({
  parse: async (text, _, { name, min, max }) => {
    const value = /^-?\d+$/.test(text) ? Number(text) : undefined;
    if (value === undefined) throw new IntegerError(name);
    if (min !== undefined && value < min) throw new IntegerError(name, { min });
    if (max !== undefined && value > max) throw new IntegerError(name, { max });
    return value;
  },
});

/** The service, the account and the key of a command. */
export const connectionFlags = {
  mode: Flags.string({
    summary: "Test or live data.",
    options: ["test", "live"],
    helpGroup: "CONNECTION",
  }),
  "base-url": textFlag("The service to talk to, or `embedded`.", "<url>", "CONNECTION"),
  "allow-http": switchFlag(
    "Send the key over plain HTTP to another machine, where others could read it.",
    "CONNECTION",
  ),
  "api-key-file": textFlag(
    "A file that holds the API key; `-` is standard input.",
    "<path>",
    "CONNECTION",
  ),
  "service-version": textFlag("Pin an API version.", "<date>", "CONNECTION"),
  database: textFlag(
    "The embedded service's database: sqlite:FILE or a postgres:// URL.",
    "<database>",
    "CONNECTION",
  ),
  account: textFlag(
    "The account in that database, by its id. Where there is only one it may be left out.",
    "<id>",
    "CONNECTION",
  ),
  "max-retries": integerFlag({
    summary: "How often to retry after a failure that may be temporary.",
    helpValue: "<count>",
    default: 3,
    min: 0,
    max: 20,
    helpGroup: "CONNECTION",
  }),
  "request-timeout": Flags.string({
    summary: "How long each attempt may take.",
    default: "30s",
    helpValue: "<duration>",
    helpGroup: "CONNECTION",
  }),
  debug: switchFlag(
    "Show each request and response on standard error, keys and cards masked.",
    "CONNECTION",
  ),
};

/** The flags of every command. */
export const globalFlags = {
  "no-color": switchFlag("No colours, anywhere.", "GLOBAL"),
  "no-input": switchFlag("Never prompt; fail when a value is missing.", "GLOBAL"),
};

/** The format of the output. */
export const outputFlags = {
  json: switchFlag("Print JSON; the same as -o json.", "OUTPUT"),
  output: Flags.option({
    char: "o",
    summary: "How to print: a table, JSON as in the API, JSON lines, or CSV.",
    options: formats,
    helpValue: "<format>",
    helpGroup: "OUTPUT",
  })(),
};

function fieldsFlag({ one, someFields }: ResourceName) {
  return {
    fields: textFlag(`Only these fields of ${one}, such as ${someFields}.`, "<fields>", "OUTPUT"),
  };
}

/** The part of a list to print. */
export function pageFlags({ name, many }: ResourceName) {
  return {
    "starting-after": textFlag(`Older than this ${name}.`, "<id>"),
    "ending-before": Flags.string({
      summary: `Newer than this ${name}.`,
      helpValue: "<id>",
      exclusive: ["starting-after"],
    }),
    limit: integerFlag({
      summary: `How many ${many} to list in total.`,
      min: 1,
      default: 10,
      helpValue: "<count>",
    }),
    all: switchFlag(`Every ${name}.`),
  };
}

export const createdFlags = {
  "created-gte": textFlag(
    "Created at or after this time: Unix seconds, a date or time, or an age such as 24h.",
    "<time>",
  ),
  "created-lt": textFlag("Created before this time.", "<time>"),
};

export const databaseFlag = {
  database: textFlag("The service's database: sqlite:FILE or a postgres:// URL.", "<database>"),
};

export const accountFlag = {
  account: textFlag("The account, by its id. Where there is only one it may be left out.", "<id>"),
};

/** For a list that has the records of all accounts by default. */
export const oneAccountFlag = {
  account: textFlag("Only those of this account, by its id.", "<id>"),
};

export const dashboardFlag = {
  "public-url": Flags.string({
    summary: "How the dashboard is reached.",
    default: "http://127.0.0.1:8402",
    helpValue: "<url>",
  }),
};

export const accountNameFlag = {
  name: Flags.string({
    summary: "The merchant's name, as customers read it on payment pages.",
    required: true,
    helpValue: "<name>",
  }),
};

export const eventsFlag = {
  events: Flags.string({
    summary: "Which events, separated by commas; '*' stands for all.",
    multiple: true,
    multipleNonGreedy: true,
    helpValue: "<types>",
  }),
};

/** The properties of an endpoint, without its URL. */
export const endpointFlags = {
  ...eventsFlag,
  description: textFlag("What the endpoint is for.", "<text>"),
};

export const yesFlag = {
  yes: Flags.boolean({ char: "y", summary: "Do not ask for confirmation." }),
};

const idempotencyKeyFlag = {
  "idempotency-key": textFlag(
    "Idempotency key. Repeat with the same key to retry safely.",
    "<key>",
  ),
};

/** The flags of a command that shows objects of a kind. */
export function readFlags(kind: ResourceName) {
  return { ...fieldsFlag(kind), ...outputFlags, ...connectionFlags };
}

/** The flags of a command that creates or changes an object of a kind. */
export function writeFlags(kind: ResourceName) {
  return { ...idempotencyKeyFlag, ...readFlags(kind) };
}

export function idArg({ one, idForm }: ResourceName) {
  return Args.string({
    description: `The id of ${one}, such as ${idForm}.`,
    required: true,
    ignoreStdin: true,
  });
}
