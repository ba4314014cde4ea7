import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import type { BooleanFlag, OptionFlag } from "@oclif/core/interfaces";
import {
  type Permission,
  type Subscription,
  allEventTypes,
  eventTypes,
  normalizeSubscription,
  permissions,
  sortPermissions,
} from "../../contract/field-values.ts";
import { usageError } from "../output/command-error.ts";
import type { RecordName, ResourceName } from "../output/resource.ts";
import { formats } from "../output/write-output.ts";
import { type Limits, toVariable } from "./checked-values.ts";

/** The properties of a flag that takes a value, beside its summary and the form of its value. */
export type More<T> = Partial<Omit<OptionFlag<T>, "summary" | "helpValue" | "type" | "multiple">>;

type Value<T, M> = M extends { default: T } | { required: true } ? T : T | undefined;

/** A flag that takes any text. */
export function textFlag<M extends More<string>>(summary: string, helpValue: string, more?: M) {
  const flag: unknown = Flags.string({ summary, helpValue, ...more } as { summary: string });
  return flag as OptionFlag<Value<string, M>>;
}

/** A flag without a value. */
export function switchFlag(summary: string, more: Partial<BooleanFlag<boolean>> = {}) {
  return Flags.boolean({ summary, ...more });
}

/** Any other text is parsed too: it is refused with its limits once all is parsed. */
const integer = Flags.custom<number, Limits>({
  parse: async (text) => (/^-?\d+$/.test(text) ? Number(text) : Number.NaN),
});

/** A flag that takes an integer, within limits where there are some. */
export function integerFlag<M extends More<number> & Limits>(
  summary: string,
  helpValue: string,
  more?: M,
) {
  const flag: unknown = integer({ summary, helpValue, ...more } as { summary: string });
  return flag as OptionFlag<Value<number, M>>;
}

/** Lets the environment set each of the flags, by the variable named after it; a typed flag wins. */
export function withVariables<F extends Record<string, object>>(flags: F): F {
  const entries = Object.entries(flags).map(([name, flag]) => {
    return [name, { ...flag, env: toVariable(name) }] as const;
  });
  return Object.fromEntries(entries) as F;
}

const connection = { helpGroup: "CONNECTION" };

const global = { helpGroup: "GLOBAL" };

const output = { helpGroup: "OUTPUT" };

/** The context of a command. */
export const contextFlag = {
  context: textFlag(
    "The context to work in: its service, keys, API version and mode. Default: the one in use.",
    "<name>",
    connection,
  ),
};

/** The service, the account and the key of a command. */
export const connectionFlags = {
  mode: Flags.string({
    summary: "Test or live data.",
    options: ["test", "live"],
    ...connection,
  }),
  ...contextFlag,
  "base-url": textFlag("The service to talk to, or `embedded`.", "<url>", connection),
  "allow-http": switchFlag(
    "Send the key, or live events, over plain HTTP to another machine, where others could read them.",
    connection,
  ),
  "api-key-file": textFlag(
    "A file that holds the API key; `-` is standard input.",
    "<path>",
    connection,
  ),
  "service-version": textFlag("Pin an API version.", "<date>", connection),
  database: textFlag(
    "The embedded service's database: sqlite:FILE or a postgres:// URL.",
    "<database>",
    connection,
  ),
  account: textFlag(
    "The account in that database, by its id. Where there is only one it may be left out.",
    "<id>",
    connection,
  ),
  "max-retries": integerFlag(
    "How often to retry after a failure that may be temporary.",
    "<count>",
    { default: 3, min: 0, max: 20, ...connection },
  ),
  "request-timeout": textFlag("How long each attempt may take.", "<duration>", {
    default: "30s",
    ...connection,
  }),
  debug: switchFlag(
    "Show each request and response on standard error, keys and cards masked.",
    connection,
  ),
};

/** The sandbox that a command controls, and how it prints; `timeout` is the default for an attempt. */
export function sandboxFlags(timeout = "30s") {
  const { debug, ...others } = connectionFlags;
  return {
    ...contextFlag,
    "base-url": textFlag("The sandbox to control.", "<url>", connection),
    "allow-http": others["allow-http"],
    "api-key-file": others["api-key-file"],
    "max-retries": others["max-retries"],
    "request-timeout": textFlag("How long the request may take.", "<duration>", {
      default: timeout,
      ...connection,
    }),
    debug,
    ...outputFlags,
  };
}

/** The flags of every command. */
export const globalFlags = {
  "no-color": switchFlag("No colours, anywhere.", global),
  "no-input": switchFlag("Never prompt; fail when a value is missing.", global),
};

/** The format of the output. */
export const outputFlags = {
  json: switchFlag("Print JSON; the same as -o json.", output),
  output: Flags.option({
    char: "o",
    summary: "How to print: a table, JSON as in the API, JSON lines, or CSV.",
    options: formats,
    helpValue: "<format>",
    ...output,
  })(),
};

/** The format of lines that are printed one by one. */
export function lineOutputFlags(name: string) {
  return {
    json: Flags.boolean({
      ...outputFlags.json,
      summary: `Print each ${name} as JSON, one a line; the same as -o json.`,
    }),
    output: Flags.option({
      char: "o",
      summary: `How to print: lines in words, or JSON, ${/^[aeiou]/.test(name) ? "an" : "a"} ${name} a line.`,
      options: ["table", "json", "ndjson"] as const,
      helpValue: "<format>",
      ...output,
    })(),
  };
}

/** The address on which a service listens. */
export const addressFlags = {
  host: textFlag("Address to listen on.", "<address>", { default: "127.0.0.1" }),
  port: portFlag(8402),
};

export function portFlag(port: number) {
  const limits = { min: 0, max: 65_535 };
  return integerFlag("Port to listen on; 0 is any free one.", "<port>", {
    default: port,
    ...limits,
  });
}

/** The file of variables for programs that are started elsewhere. */
export const envFileFlag = {
  "write-env": textFlag(
    "Write the variables for your program, as KEY=value lines, into this file, which is deleted at the end.",
    "<path>",
  ),
};

export const databaseFlag = {
  database: textFlag("The service's database: sqlite:FILE or a postgres:// URL.", "<database>"),
};

/** The card network of live payments. */
export function networkFlag<M extends More<string>>(summary: string, more?: M) {
  return textFlag(summary, "<network>", { env: "PAYMENTS_NETWORK", ...more } as M);
}

export const accountFlag = {
  account: textFlag("The account, by its id. Where there is only one it may be left out.", "<id>"),
};

/** What a key may do. */
export const grantFlags = {
  can: Flags.string({
    summary: `What the key may do, separated by commas: ${permissions.join(", ")}. Default: everything.`,
    multiple: true,
    multipleNonGreedy: true,
    helpValue: "<permissions>",
  }),
  "max-refund": integerFlag(
    "The largest payment that the key may refund, in minor units: 4999 is 49.99.",
    "<minor units>",
    { min: 1, max: Number.MAX_SAFE_INTEGER },
  ),
};

/** The events of an endpoint, or of a listener. */
export const eventsFlag = {
  events: Flags.string({
    summary: "Which events, separated by commas; '*' stands for all.",
    multiple: true,
    multipleNonGreedy: true,
    helpValue: "<types>",
  }),
};

/** For a list that has the records of all accounts by default. */
export const oneAccountFlag = {
  account: textFlag("Only those of this account, by its id.", "<id>"),
};

export const dashboardFlag = withVariables({
  "public-url": textFlag(
    "How the dashboard is reached. Default: as payments serve listens with the same variables, http://127.0.0.1:8402 without any.",
    "<url>",
  ),
});

export const accountNameFlag = {
  name: textFlag("The merchant's name, as customers read it on payment pages.", "<name>", {
    required: true,
  }),
};

export const yesFlag = {
  yes: switchFlag("Do not ask for confirmation.", { char: "y" }),
};

export const idempotencyKeyFlag = {
  "idempotency-key": textFlag(
    "Idempotency key. Repeat with the same key to retry safely.",
    "<key>",
  ),
};

/** The fields to print of records of a kind. */
export function fieldsFlag({ one, someFields }: RecordName) {
  const summary = `Only these fields of ${one}, such as ${someFields}.`;
  return { fields: textFlag(summary, "<fields>", output) };
}

/** The flags of a command that shows objects of a kind. */
export function readFlags(kind: RecordName) {
  return { ...fieldsFlag(kind), ...outputFlags, ...connectionFlags };
}

/** The flags of a command that creates or changes an object of a kind. */
export function writeFlags(kind: ResourceName) {
  return { ...idempotencyKeyFlag, ...readFlags(kind) };
}

export function idArg({ one, idForm }: ResourceName) {
  return requiredArg(`The id of ${one}, such as ${idForm}.`);
}

/** The payment to change. */
export const chosenPaymentArg = Args.string({
  description: "The id of the payment; without it you choose one, in a terminal.",
  ignoreStdin: true,
});

export function requiredArg(description: string) {
  return Args.string({ description, required: true, ignoreStdin: true });
}

export const varFlag = Flags.string({
  summary: "A value for ${var.KEY} in the files. Repeat the flag for more.",
  multiple: true,
  multipleNonGreedy: true,
  helpValue: "<key=value>",
});

/** Parses `--can`, a list with commas or repeated flags, into sorted permissions; undefined: everything. */
export function parsePermissions(typed: readonly string[] | undefined): Permission[] | undefined {
  const names = typed?.flatMap((some) => some.split(",")).map((name) => name.trim());
  if (!names) return undefined;
  const found = sortPermissions(names);
  if (names.every((name) => found.some((permission) => permission === name))) return found;
  throw usageError(
    `--can must be one or more of ${permissions.join(", ")}, separated by commas. Nothing was created.`,
  );
}

/** Parses `--events`, a list with commas or repeated flags, into the order of the API. */
export function parseSubscription(typed: readonly string[]): Subscription {
  const names = typed.flatMap((some) => some.split(",")).map((name) => name.trim());
  const known = new Set<string>([...eventTypes, allEventTypes]);
  if (!names.every((name) => known.has(name))) {
    throw usageError(
      `--events must be ${eventTypes.join(", ")}, or '${allEventTypes}' for all. Nothing was sent.`,
    );
  }
  return normalizeSubscription(names);
}
