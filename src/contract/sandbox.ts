import * as z from "zod";
import { isJsonObject } from "../runtime/text.ts";
import { parseDurationText } from "../runtime/time.ts";
import { accountFields, findAccountNameMistake, type Account } from "./administration.ts";
import { integer } from "./list.ts";
import {
  clockModes,
  declineCodes,
  faultStatuses,
  maxAdvance,
  networkFaults,
  permissions,
  requestFaults,
  webhookFaults,
} from "./field-values.ts";
import { defineRoute, type Route } from "./route.ts";
import { routes } from "./routes.ts";

// The control of a sandbox: a payments service for tests (docs/testing.md).

const dayMs = 86_400_000;
const maxAdvanceMs = parseDurationText(maxAdvance) ?? 0;
const isPositive = (ms: number | undefined) => ms !== undefined && ms > 0;

const advancePhrase = `must be a duration such as 90s or 25h, of at most ${maxAdvance}`;
const timePhrase = "must be a Unix timestamp in seconds, such as 1800000000";

/** The body of POST /sandbox/clock: how far the time moves on, or the time to which it does. */
export const moveClockBody = z
  .strictObject({
    advance: z
      .string({ error: advancePhrase })
      .transform((text) => parseDurationText(text) ?? 0)
      .refine((ms) => isPositive(ms) && ms <= maxAdvanceMs, { error: advancePhrase })
      .nullish(),
    to: integer(0, Number.MAX_SAFE_INTEGER, timePhrase).nullish(),
  })
  .refine(({ advance, to }) => (advance ?? null) !== null || (to ?? null) !== null, {
    path: ["advance"],
    error: `${advancePhrase}; or send to, which ${timePhrase}`,
  })
  .refine(({ advance, to }) => (advance ?? null) === null || (to ?? null) === null, {
    path: ["to"],
    error: "must not be used together with advance: send one of them",
  });
export type MoveClockBody = z.output<typeof moveClockBody>;

const count = (min: number, max: number) =>
  integer(min, max, `must be an integer from ${min} to ${max}`);

/** `now` in Unix seconds. */
const clockShape = { now: z.int(), mode: z.enum(clockModes) };

/** The work that a sandbox did while its time moved on. `delivery_attempts` counts the failed ones, too. */
const workDone = z.object({
  settled: z.int(),
  expired: z.int(),
  delivered: z.int(),
  delivery_attempts: z.int(),
  purged: z.int(),
});
export type WorkDone = z.infer<typeof workDone>;

const permissionPhrase = `must be one of ${permissions.join(", ")}`;
const permissionsPhrase = `must be a list of at least one of ${permissions.join(", ")}`;
const maxRefundPhrase = "must be an amount in minor units, at least 1";

/** The body of POST /sandbox/accounts: the permissions and the limit are those of both its keys. */
export const createSandboxAccountBody = z.strictObject({
  name: z
    .string({ error: "must be a string of 1 to 80 characters" })
    .transform((name) => name.trim())
    .superRefine((name, context) => {
      const message = findAccountNameMistake(name);
      if (message !== undefined) context.addIssue({ code: "custom", message });
    })
    .nullish(),
  permissions: z
    .array(z.enum(permissions, { error: permissionPhrase }), { error: permissionsPhrase })
    .min(1, { error: permissionsPhrase })
    .nullish(),
  max_refund: integer(1, Number.MAX_SAFE_INTEGER, maxRefundPhrase).nullish(),
});
export type NewSandboxAccount = z.input<typeof createSandboxAccountBody>;

const keys = z.object({ test: z.string(), live: z.string() });

const faultPhrase = `must be one of ${requestFaults.join(", ")}; with on webhooks one of ${webhookFaults.join(", ")}; with on network one of ${networkFaults.join(", ")}`;
const onPhrase =
  'must be *, webhooks, network, or a method and a path of the API, such as "POST /v1/payments" or "POST /v1/payments/{id}/refund"';
const statusPhrase = "must be 429, 500 or 503";
const codePhrase = `must be one of ${declineCodes.join(", ")}`;
/** A client waits no longer for a response; a webhook may be late by days. */
const maxDelayMs = { request: 600_000, webhooks: 30 * dayMs };
const delayPhrase =
  "must be a duration such as 2s, of at most 10m for a request and of at most 30d for a webhook";

/** The endpoints to which a fault can be limited, as a fault names them. */
const endpoints = Object.values(routes).map(({ method, path }) => describeEndpoint(method, path));

/** An endpoint as a fault names it, such as `GET /v1/payments/{id}`, by its path as routes are written. */
export function describeEndpoint(method: string, path: string): string {
  return `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`;
}

const allFaults = [...new Set([...requestFaults, ...webhookFaults, ...networkFaults])];

/** The body of POST /sandbox/faults: `do` happens to the next `times` matching requests after the first `after`. */
export const faultBody = z
  .strictObject({
    on: z
      .string({ error: onPhrase })
      .refine((on) => ["*", "webhooks", "network", ...endpoints].includes(on), { error: onPhrase }),
    do: z.enum(allFaults, { error: faultPhrase }),
    times: count(1, 1_000_000)
      .nullish()
      .transform((times) => times ?? 1),
    after: count(0, 1_000_000)
      .nullish()
      .transform((after) => after ?? 0),
    /** Of a delay, such as `2s`. */
    for: z
      .string({ error: delayPhrase })
      .refine((text) => isPositive(parseDurationText(text)), { error: delayPhrase })
      .nullish(),
    status: z.literal(faultStatuses, { error: statusPhrase }).nullish(),
    code: z.enum(declineCodes, { error: codePhrase }).nullish(),
  })
  .superRefine((fault, context) => {
    const refuse = (field: string, message: string) =>
      context.addIssue({ code: "custom", path: [field], message });
    const { on } = fault;
    const kinds: readonly string[] =
      on === "webhooks" ? webhookFaults : on === "network" ? networkFaults : requestFaults;
    if (!kinds.includes(fault.do)) refuse("do", `${faultPhrase}. On ${on} it is none of these`);
    const maxMs = on === "webhooks" ? maxDelayMs.webhooks : maxDelayMs.request;
    if ((parseDurationText(fault.for ?? "") ?? 0) > maxMs) refuse("for", delayPhrase);
    for (const [field, kind, isRequired, phrase] of [
      ["for", "delay", true, delayPhrase],
      ["status", "status", true, statusPhrase],
      ["code", "decline", false, codePhrase],
    ] as const) {
      const isGiven = (fault[field] ?? null) !== null;
      if (fault.do === kind && isRequired && !isGiven) refuse(field, phrase);
      if (fault.do !== kind && isGiven) refuse(field, `must be left out: it belongs to ${kind}`);
    }
  });
export type FaultBody = z.output<typeof faultBody>;
export type FaultInput = z.input<typeof faultBody>;

/** A fault as it was set; `struck` counts the requests that went wrong by it. */
const sandboxFault = z.object({
  on: z.string(),
  do: z.enum(allFaults),
  times: z.int(),
  after: z.int(),
  struck: z.int(),
  for: z.string().optional(),
  status: z.int().optional(),
  code: z.string().optional(),
});
export type SandboxFault = z.infer<typeof sandboxFault>;

/**
 * A request of an account. `time` in Unix seconds. `status` is the status that the service gave, also where the answer
 * was lost, and null where there was none. A number that could be a card's is masked in `body`.
 */
const sandboxRequest = z.object({
  time: z.int(),
  method: z.string(),
  path: z.string(),
  status: z.int().nullable(),
  idempotency_key: z.string().nullable(),
  replayed: z.boolean(),
  fault: z.string().nullable(),
  body: z.unknown(),
});
export type SandboxRequest = z.infer<typeof sandboxRequest>;

const listOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ object: z.literal("list"), data: z.array(item) });

const clock = z.object(clockShape);
export type SandboxClock = z.infer<typeof clock>;

/** What became of the time, and what the sandbox did meanwhile. */
const movedClock = clock.extend({ did: workDone });
export type MovedClock = z.infer<typeof movedClock>;

/** An account of a sandbox with its keys. */
const accountWithKeys = z.object({ account: z.custom<Account>(isAccount), keys });
export type AccountWithKeys = z.infer<typeof accountWithKeys>;

const faultList = listOf(sandboxFault);

/** The control's endpoints; each needs a test key of the sandbox. */
export const sandboxRoutes = {
  reset: defineRoute("POST /sandbox/reset", {
    summary: "Start over",
    permission: null,
    body: z.strictObject({}),
    response: clock,
  }),
  createAccount: defineRoute("POST /sandbox/accounts", {
    summary: "Create an account",
    permission: null,
    status: 201,
    body: createSandboxAccountBody,
    response: accountWithKeys,
  }),
  getClock: defineRoute("GET /sandbox/clock", {
    summary: "Retrieve the time",
    permission: null,
    response: clock,
  }),
  moveClock: defineRoute("POST /sandbox/clock", {
    summary: "Move the time on",
    permission: null,
    body: moveClockBody,
    response: movedClock,
  }),
  setFault: defineRoute("POST /sandbox/faults", {
    summary: "Set a fault",
    permission: null,
    status: 201,
    body: faultBody,
    response: sandboxFault,
  }),
  listFaults: defineRoute("GET /sandbox/faults", {
    summary: "List the faults",
    permission: null,
    response: faultList,
  }),
  clearFaults: defineRoute("DELETE /sandbox/faults", {
    summary: "Clear the faults",
    permission: null,
    response: faultList,
  }),
  listRequests: defineRoute("GET /sandbox/requests", {
    summary: "List the requests",
    permission: null,
    response: listOf(sandboxRequest),
  }),
} satisfies Record<string, Route>;

function isAccount(value: unknown): value is Account {
  return isJsonObject(value) && accountFields.every((field) => field in value);
}
