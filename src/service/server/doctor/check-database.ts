import { type Check, reportFailure, reportOk, reportWarning } from "../../../contract/doctor.ts";
import { modes } from "../../../contract/field-values.ts";
import { Unavailable } from "../../../runtime/failures.ts";
import { withTimeout } from "../../../runtime/promises.ts";
import { quoteForShell } from "../../../runtime/text.ts";
import { formatDuration } from "../../../runtime/time.ts";
import { createAccountStore, selectAccounts } from "../../accounts/accounts-store.ts";
import { hashKey } from "../../accounts/authenticate.ts";
import { describeDatabase, openExisting, parseDatabase } from "../../database/database.ts";
import { type Driver, batch, queryRows, readOne } from "../../database/driver.ts";
import { readSchema } from "../../database/migrate.ts";
import type { Scope } from "../../database/scope.ts";
import { createPaymentStore } from "../../payments/payments-store.ts";
import type { Endpoint } from "../../webhooks/delivery-state.ts";
import { selectEndpoints } from "../../webhooks/webhook-endpoints-sql.ts";
import { createWebhooksStore } from "../../webhooks/webhooks-store.ts";
import { findEmbeddedKeys, resolveEmbeddedKeyFile } from "../embedded-keys.ts";
import {
  type FileLimits,
  type Step,
  findPostgresRemedy,
  isSqliteFileThere,
  listFileSteps,
  listPostgresSteps,
} from "./database-steps.ts";

export type DatabaseToCheck = {
  database: string;
  /** The user's own database, which is not named, need not be there yet, and is migrated by the next command. */
  isNamed: boolean;
  /** The folder of the embedded service's keys, which are checked where it is given. */
  keyFolder?: string | undefined;
  nowMs?: number;
  fileLimits?: Partial<FileLimits>;
};

/**
 * The checks of a database. They only read: no database is made or migrated, and a SQLite file is read without
 * leaving a trace. Checks that depend on a failed one are left out.
 */
export async function* checkDatabase(settings: DatabaseToCheck): AsyncGenerator<Check> {
  const { database, isNamed, keyFolder, nowMs = Date.now(), fileLimits } = settings;
  const name = describeDatabase(database);
  const named = isNamed && name.startsWith("sqlite:") ? ` --database ${quoteForShell(name)}` : "";
  const migrate = `payments migrate${named}`;
  let opened: Driver | undefined;
  const reach: Step = {
    name: "database",
    help: (error) => findPostgresRemedy(error, database),
    run: async () => {
      opened = await openIfThere(database);
      if (opened) await opened.read(() => queryRows("SELECT 1 AS one", []));
      if (opened) return reportOk("database", `${name} answers.`);
      return isNamed
        ? reportFailure("database", `There is no database of payments at ${name}.`, migrate)
        : reportOk("database", `There is none yet at ${name}: the first payment command makes it.`);
    },
  };
  try {
    const isReached = yield* runSteps([reach]);
    const driver = opened;
    if (!isReached || !driver) return;
    const address = parseDatabase(database);
    const isFile = "file" in address;
    const schema = createSchemaStep(driver, { name, migratesItself: !isNamed, migrate });
    const isUsable = yield* runSteps([
      ...(isFile ? listFileSteps(address.file, fileLimits) : listPostgresSteps(driver)),
      schema.step,
    ]);
    // A file that cannot be written, or with a full disk around it, can still be read; a pooler that fails cannot.
    if (!schema.isUsable() || (!isUsable && !isFile)) return;
    yield* runSteps([
      ...listBacklogSteps(driver, { nowMs, isServed: isNamed }),
      ...(keyFolder === undefined ? [] : [createEmbeddedKeyStep(driver, keyFolder)]),
    ]);
  } finally {
    await opened?.close();
  }
}

/**
 * Undefined where there is no SQLite file. A PostgreSQL is opened without the check of its pooler, which is a check of
 * its own here.
 */
async function openIfThere(database: string): Promise<Driver | undefined> {
  const address = parseDatabase(database);
  if ("file" in address)
    return isSqliteFileThere(address.file) ? await openExisting(database) : undefined;
  const { openPostgres } = await import("../../database/postgres.ts");
  return openPostgres(address.url, undefined, { analyzes: false });
}

/** `migratesItself`: whether the next command brings an older schema up to date. `migrate`: the command that does. */
type Expected = { name: string; migratesItself: boolean; migrate: string };

/** The check of the schema, and whether it has found one that this program can read. */
function createSchemaStep(driver: Driver, expected: Expected) {
  let isUsable = false;
  const step: Step = {
    name: "schema",
    help: "payments --version",
    run: async () => {
      const schema = await readSchema(driver);
      isUsable = schema.databaseVersion >= schema.programVersion;
      return compareVersions(schema, expected);
    },
  };
  return { step, isUsable: () => isUsable };
}

function compareVersions(
  schema: { databaseVersion: number; programVersion: number },
  { name, migratesItself, migrate }: Expected,
): Check {
  const { databaseVersion: version, programVersion: needed } = schema;
  if (version === 0) {
    const detail = `${name} has no tables of payments. If it is meant for payments, make them.`;
    return reportFailure("schema", detail, migrate);
  }
  if (version < needed) {
    const detail = `The schema has version ${version}, and this program needs ${needed}.`;
    return migratesItself
      ? reportWarning("schema", `${detail} The next command brings it up to date.`, migrate)
      : reportFailure("schema", detail, migrate);
  }
  if (version === needed) return reportOk("schema", `The schema has version ${version}.`);
  const detail = `The schema has version ${version}, of a newer program. This one, made for ${needed}, still works with it.`;
  return reportWarning("schema", detail, "payments --version");
}

/** Checks the keys of the embedded service, which its first use makes, and which only a revocation ends. */
function createEmbeddedKeyStep(driver: Driver, folder: string): Step {
  const file = resolveEmbeddedKeyFile(folder);
  return {
    name: "key",
    help: `rm ${quoteForShell(file)}`,
    run: async () => {
      const keys = findEmbeddedKeys(folder);
      if (!keys) return undefined;
      const accounts = createAccountStore(driver);
      for (const mode of modes) {
        const key = (await accounts.findKey(hashKey(keys[mode])))?.key;
        if (key && key.revoked_at !== null) {
          const detail = `The embedded service's own ${mode} key was revoked; without ${file} the next command makes new ones.`;
          return reportFailure("key", detail, `rm ${quoteForShell(file)}`);
        }
      }
      return reportOk("key", "The embedded service has keys of its own.");
    },
  };
}

/** How long a check may take: a pool waits 2 s for a connection, and 3 s for an answer. */
const timeoutMs = 5_000;

/** Runs checks one after the other, and returns whether none failed. What a check cannot find out is its failure. */
async function* runSteps(steps: Step[]): AsyncGenerator<Check, boolean> {
  let haveAllPassed = true;
  for (const step of steps) {
    const check = await withTimeout(runStep(step), timeoutMs, () =>
      toFailure(step, new Unavailable(`There was no answer within ${timeoutMs / 1000} s.`)),
    );
    if (check) yield check;
    if (check?.status === "fail") haveAllPassed = false;
  }
  return haveAllPassed;
}

async function runStep(step: Step): Promise<Check | undefined> {
  try {
    return await step.run();
  } catch (error) {
    return toFailure(step, error);
  }
}

function toFailure({ name, help }: Step, error: unknown): Check {
  const { message, hint } = error as { message: string; hint?: string };
  return reportFailure(name, message, typeof help === "string" ? (hint ?? help) : help(error));
}

const minuteMs = 60_000;

const hourMs = 60 * minuteMs;

/** From which age on due work is a warning, and a failure; docs/operating.md recommends alerts at the former. */
const ages = {
  settlements: { warnMs: minuteMs, failMs: 10 * minuteMs },
  charges: { warnMs: 10 * minuteMs, failMs: hourMs },
  webhooks: { warnMs: hourMs, failMs: 24 * hourMs },
};

/** Their endpoints are looked at in one round trip. */
const maxAccounts = 500;

const maxNamed = 5;

/** `isServed`: whether a service is expected to do what is due; else the next command settles payments. */
type Backlog = { nowMs: number; isServed: boolean };

/** Checks of work that is due and not done: pending payments, charges at the card network, and webhooks. */
function listBacklogSteps(driver: Driver, { nowMs, isServed }: Backlog): Step[] {
  const payments = createPaymentStore(driver);
  const webhooks = createWebhooksStore(driver);
  let found: Promise<Endpoint[]> | undefined;
  const findEndpoints = async () => (found ??= listEndpoints(driver));
  return [
    {
      name: "settlements",
      help: "payments migrate --dry-run",
      run: async () => {
        const { due, oldestAgeMs } = await payments.measureBacklog(nowMs);
        if (due === 0) return reportOk("settlements", "No pending payment is due.");
        const detail = `Pending payments that are due: ${due}, the oldest for ${formatDuration(oldestAgeMs)}`;
        if (!isServed) return reportOk("settlements", `${detail}; the next command settles them.`);
        return judge("settlements", `${detail}.`, oldestAgeMs, "payments serve");
      },
    },
    {
      name: "charges",
      help: "payments migrate --dry-run",
      run: async () => {
        const { undecided, oldestUndecidedAgeMs: ageMs } = await payments.measureBacklog(nowMs);
        if (undecided === 0)
          return reportOk("charges", "The card network has decided every charge.");
        const detail = `Charges, cancellations and refunds that the card network has not decided: ${undecided}, the oldest for ${formatDuration(ageMs)}.`;
        return judge("charges", detail, ageMs, "payments network check URL");
      },
    },
    {
      name: "webhooks",
      help: "payments migrate --dry-run",
      run: async () => {
        const { count, oldestAgeMs } = await webhooks.measureWebhookBacklog(nowMs);
        if (count === 0) return reportOk("webhooks", "Every webhook has been delivered.");
        const detail = `Webhooks that are not delivered yet: ${count}, the oldest for ${formatDuration(oldestAgeMs)}.`;
        const [failing] = (await findEndpoints())
          .filter(({ status, failingSinceMs }) => status === "enabled" && failingSinceMs !== null)
          .toSorted((one, other) => (one.failingSinceMs ?? 0) - (other.failingSinceMs ?? 0));
        const help = failing ? `payments webhooks deliveries ${failing.id}` : "payments serve";
        return judge("webhooks", detail, oldestAgeMs, help);
      },
    },
    {
      name: "endpoints",
      help: "payments webhooks list",
      run: async () => {
        const disabled = (await findEndpoints()).filter(({ disabledReason }) => disabledReason);
        const [first] = disabled;
        if (!first) return reportOk("endpoints", "No webhook endpoint was disabled for failing.");
        const named = disabled.slice(0, maxNamed).map(({ id }) => id);
        const more = disabled.length > named.length ? " and others" : "";
        const detail = `Webhook endpoints that were disabled because they failed: ${named.join(", ")}${more}.`;
        return reportWarning("endpoints", detail, `payments webhooks enable ${first.id}`);
      },
    },
  ];
}

function judge(name: keyof typeof ages, detail: string, ageMs: number, help: string): Check {
  const { warnMs, failMs } = ages[name];
  if (ageMs < warnMs) return reportOk(name, detail);
  return ageMs < failMs ? reportWarning(name, detail, help) : reportFailure(name, detail, help);
}

/** The webhook endpoints of the first accounts, without listeners. */
async function listEndpoints(driver: Driver): Promise<Endpoint[]> {
  const accounts = (await readOne(driver, selectAccounts())).slice(0, maxAccounts);
  const scopes = accounts.flatMap(({ id: accountId }): Scope[] => [
    { accountId, livemode: false },
    { accountId, livemode: true },
  ]);
  if (scopes.length === 0) return [];
  const lists = await driver.read(() => batch(...scopes.map(selectEndpoints)));
  return lists.flat().filter(({ url }) => url !== null);
}
