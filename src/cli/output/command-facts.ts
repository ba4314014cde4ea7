import type { ExitReason } from "./exit-codes.ts";

/**
 * What a program that drives a command has to know beside its arguments and flags. Each command states it as its
 * `facts`; `payments help --json` prints it.
 */
export type CommandFacts = {
  /** What it may change: payments, settings (webhooks, contexts, the stored login), or the service's own database. */
  writes: "nothing" | "payments" | "settings" | "database";
  /** Whether it can be run again without doing it twice: `with` the same value of a flag, perhaps. */
  repeatable: "always" | "never" | { with: string };
  /** How it may end beside what every command may, and what that means here. */
  exits: Partial<Record<ExitReason, string>>;
  /** When a signal ends it with the signal's own exit code, if not always: a signal is how some commands are ended. */
  signals?: string;
  /** What it prints as JSON: the response of an endpoint of the API, or other fields; null where it prints none. */
  output: `${"GET" | "POST" | "DELETE"} /v1/${string}` | JsonOutput | null;
  /** What it does otherwise with a flag; `outputs` are printed a line each, in this order. */
  variants?: readonly Variant[];
};

type Variant = Pick<CommandFacts, "writes" | "repeatable"> & {
  flag: string;
  outputs: readonly JsonOutput[];
};

/**
 * `object` is the value of the field of that name, null where there is none. A field inside another is written
 * `card.last4`, one of each item of a list `data[].id`. A field stands for all below it, too.
 */
type JsonOutput = { object: string | null; fields: readonly string[] };

/** A list of records that is no list of the API. */
export function listOutput(fields: readonly string[]): JsonOutput {
  return { object: "list", fields: ["object", ...fields.map((name) => `data[].${name}`)] };
}

/** How a command ends that reads from a service. */
export const readExits = {
  key: "the key is missing, malformed or rejected, the modes contradict each other, or the connection isn't encrypted",
  not_found:
    "no such object, or no such path: the base URL is not a service's, or the service is older",
  rate_limited: "rate-limited, retries used up",
  unavailable:
    "network failure, 5xx or no response of the API, retries used up, or a database that cannot be used",
} as const satisfies CommandFacts["exits"];

/** The same of a command that writes. */
export const writeExits = {
  ...readExits,
  conflict:
    "the idempotency key belongs to another request, or to one that is still being processed",
  unavailable:
    "network failure, 5xx or no response of the API, retries used up: the outcome may be unknown, and the error names the idempotency key to repeat with; or a database that cannot be used",
} as const satisfies CommandFacts["exits"];

/** How a command ends that waits for the outcome of a payment. */
export const waitExits = {
  not_as_expected: "the payment failed (--wait), or did not end as expected (--expect)",
  still_pending: "still pending when --timeout ended",
} as const satisfies CommandFacts["exits"];

/** How a command ends that works on the service's own database. */
export const databaseExits = {
  not_found: "there is no such account",
  unavailable: "the database is not there, or cannot be used",
} as const satisfies CommandFacts["exits"];

/** How a command ends that asks a person. */
export const promptExits = {
  canceled: "canceled at a prompt: nothing was changed",
} as const satisfies CommandFacts["exits"];

/** The facts of a command that changes nothing, by default one that reads from a service. */
export function describeReading(
  output: CommandFacts["output"],
  exits: CommandFacts["exits"] = readExits,
): CommandFacts {
  return { writes: "nothing", repeatable: "always", exits, output };
}
