import { setTimeout as delay } from "node:timers/promises";
import { computeBackoff } from "../../runtime/backoff.ts";
import { Unavailable } from "../../runtime/failures.ts";
import type { StoredAccount } from "../ports/account-store.ts";
import {
  MigrationInProgress,
  define,
  LockTimeout,
  query,
  run,
  type Driver,
  type Transaction,
} from "./driver.ts";
import { storeBeginnings, selectNewestPayments } from "./event-beginnings.ts";
import { listMigrationFiles, readMigration } from "./migration-files.ts";
import { insertAccount } from "./sql/accounts-sql.ts";

/**
 * A numbered file in `migrations`; its name is without `.sql`. One that ends in `.indexes` has nothing but indexes,
 * and one in `.postgres` such as PostgreSQL alone needs.
 */
export type Migration = { version: number; name: string };
export type Schema = { databaseVersion: number; programVersion: number; pending: Migration[] };
/** What is enough to look at a database without changing it. */
export type Reader = Pick<Driver, "read">;

/** A line that is indented belongs to the statement above it. */
const statementEnd = /;\s*\n(?=\S|$)/;
/** How often, and for how long, a migration that fails is tried again. */
const maxTries = 8;
const patienceMs = 30_000;
/** While others hold a lock it is tried for longer: between the tries they all get their turn. */
const lockPatienceMs = 120_000;
const backoff = { minMs: 5, maxMs: 500, jitter: 1 };
/** The oldest schema whose programs work with the schema that this one makes. */
const oldestProgram = 4;
/** From this schema on a database has an account; before, a program made it when it needed one, by this id. */
const schemaOfAccounts = 7;
const olderAccountId = "acct_1";
/** From this schema on payments make events. */
const schemaOfEvents = 9;

/**
 * Brings a database's schema up to date, all in one transaction, and says what it applied. Where
 * nothing is to be done it only reads, so that a role without rights on the schema will do. Indexes of
 * tables that are in use come before that transaction: inside it every writer would wait for them. A new
 * database begins with the account `first`.
 *
 * Several processes may do so at once. On PostgreSQL all but one of them fail, in as many ways as
 * there are statements: so a failure counts only when the work turns out not to be done by another.
 */
export async function migrate(driver: Driver, first: StoredAccount): Promise<Migration[]> {
  let beganMs = performance.now();
  let failure: unknown;
  for (let tries = 0; ; tries++) {
    const schema = await readSchema(driver);
    if (schema.pending.length === 0) return [];
    const isLocked = failure instanceof LockTimeout;
    const tookMs = performance.now() - beganMs;
    const isOver = isLocked
      ? tookMs > lockPatienceMs
      : lasts(failure) || tries === maxTries || tookMs > patienceMs;
    if (failure && isOver) throw notMigrated(failure, schema);
    if (failure) await delay(10 + computeBackoff(tries, backoff));
    try {
      if (await makeIndexes(driver, schema)) beganMs = performance.now(); // as much as they took
      return await driver.write(() => apply(schema, first, driver.makeIndex !== undefined));
    } catch (error) {
      failure = error;
      if (error instanceof MigrationInProgress) beganMs = performance.now(); // as much as it takes others
    }
  }
}

/** Brings an empty database's schema up to date; one that is there but older is left to `payments migrate`. */
export async function requireSchema(driver: Driver, first: StoredAccount): Promise<void> {
  const { databaseVersion, programVersion, pending } = await readSchema(driver);
  if (databaseVersion === 0) await migrate(driver, first);
  else if (pending.length > 0) {
    throw new Unavailable(
      `The database has schema version ${databaseVersion}, and this program needs ${programVersion}. Nothing was changed.`,
      { hint: "Bring it up to date with payments migrate, or start the service, which does so." },
    );
  }
}

function lasts(failure: unknown): boolean {
  return failure instanceof Unavailable && failure.isPermanent;
}

/**
 * A role that may not change the schema, or a lock that is kept, meets with this; a full disk is told as
 * it is.
 */
function notMigrated(failure: unknown, { databaseVersion, programVersion }: Schema): unknown {
  if (!(failure instanceof Unavailable) || failure.isPermanent) return failure;
  const advice =
    failure instanceof LockTimeout
      ? "end what holds it, and run payments migrate again"
      : "run payments migrate as a user who may change it";
  return new Unavailable(
    `${failure.message} Its schema has version ${databaseVersion}, and this program needs ${programVersion}: ${advice}.`,
    { cause: failure },
  );
}

/**
 * How a database's schema stands to this program's. One that is newer is refused, unless it says that
 * programs of this version work with it: while replicas are replaced an older one may start again.
 */
export async function readSchema(reader: Reader): Promise<Schema> {
  const databaseVersion = await schemaVersion(reader);
  const all = migrations();
  const programVersion = all.length;
  if (databaseVersion > programVersion && !(await reader.read(() => suits(programVersion)))) {
    throw new Unavailable(
      `The database has schema version ${databaseVersion}, but this program knows only ${programVersion}. Nothing was changed. Update payments.`,
    );
  }
  return { databaseVersion, programVersion, pending: all.slice(databaseVersion) };
}

/** Whether a schema is the program's, or a newer one: then a service that runs can go on. */
export async function isCurrent(reader: Reader): Promise<boolean> {
  return (await reader.read(version)) >= migrations().length;
}

/** The version of a database's schema; 0 where there is none. Rejects where it cannot be read. */
async function schemaVersion(reader: Reader): Promise<number> {
  try {
    return await reader.read(version);
  } catch (error) {
    if (isMissingTable(error)) return 0;
    throw error;
  }
}

function migrations(): Migration[] {
  return listMigrationFiles().map((file, index) => ({
    version: index + 1,
    name: file.slice(0, -".sql".length),
  }));
}

function* version(): Transaction<number> {
  const sql = "SELECT COALESCE(MAX(version), 0) AS version FROM schema_migrations";
  const [row] = yield* query<{ version: number }>(sql, []);
  return row?.version ?? 0;
}

function* suits(programVersion: number): Transaction<boolean> {
  const sql =
    "SELECT oldest_program AS oldest FROM schema_migrations ORDER BY version DESC LIMIT 1";
  const [row] = yield* query<{ oldest: number | null }>(sql, []);
  return typeof row?.oldest === "number" && row.oldest <= programVersion;
}

/** Makes the indexes that tables which are in use are to get; answers whether any was not there yet. */
async function makeIndexes(
  { makeIndex }: Driver,
  { databaseVersion, pending }: Schema,
): Promise<boolean> {
  if (!makeIndex) return false;
  let areMade = false;
  for (const index of pending.filter(hasIndexes).flatMap(statementsOf)) {
    if (isInUse(index, databaseVersion) && (await makeIndex(index))) areMade = true;
  }
  return areMade;
}

/** Whether the table of an index was made by an earlier migration than those that are to be applied. */
function isInUse(index: string, databaseVersion: number): boolean {
  const [, table = ""] = /\sON (\w+)/.exec(index) ?? [];
  const before = migrations().slice(0, databaseVersion).flatMap(statementsOf);
  return before.some((statement) => statement.includes(`CREATE TABLE ${table} (`));
}

/** The migrations' rows come first: two transactions that apply the same one meet at its key, and hold no other table. */
function* apply(
  { databaseVersion, pending }: Schema,
  first: StoredAccount,
  isPostgres: boolean,
): Transaction<Migration[]> {
  yield* define(
    "CREATE TABLE IF NOT EXISTS schema_migrations (version BIGINT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (version))",
  );
  if ((yield* version()) !== databaseVersion) throw new Error("Others have changed the schema.");
  for (const migration of pending) {
    yield* define("INSERT INTO schema_migrations (version, name) VALUES ($1, $2)", [
      migration.version,
      fileOf(migration),
    ]);
  }
  const hasNoEvents = databaseVersion > 0 && databaseVersion < schemaOfEvents;
  const newest = hasNoEvents ? yield* selectNewestPayments() : [];
  for (const migration of pending) {
    if (!hasIndexes(migration)) {
      for (const statement of statementsOf(migration)) yield* define(statement);
      continue;
    }
    if (!isPostgres && isForPostgres(migration)) continue;
    for (const index of statementsOf(migration)) {
      const isMade = isPostgres && isInUse(index, databaseVersion);
      if (!isMade) yield* define(index.replace("CONCURRENTLY ", ""));
    }
  }
  yield* storeBeginnings(newest);
  if (databaseVersion < schemaOfAccounts) yield* addAccount(first, databaseVersion === 0);
  yield* define("UPDATE schema_migrations SET oldest_program = $1 WHERE version = $2", [
    oldestProgram,
    migrations().length,
  ]);
  return pending;
}

/** An older database keeps the account that it has. */
function* addAccount({ account, ...rest }: StoredAccount, isNew: boolean): Transaction<void> {
  const id = isNew ? account.id : olderAccountId;
  yield* run(insertAccount({ account: { ...account, id }, ...rest }));
}

function hasIndexes(migration: Migration): boolean {
  return migration.name.endsWith(".indexes") || isForPostgres(migration);
}

/** Whether it makes indexes that PostgreSQL alone needs, and nothing else. */
export function isForPostgres({ name }: Migration): boolean {
  return name.endsWith(".postgres");
}

function statementsOf(migration: Migration): string[] {
  const text = readMigration(fileOf(migration));
  return text.split(statementEnd).filter((statement) => statement.trim() !== "");
}

function fileOf({ name }: Migration): string {
  return `${name}.sql`;
}

/** Whether a statement failed because a table is not there: in SQLite's words, or by SQL's own code. */
function isMissingTable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? error.code : undefined;
  return code === "42P01" || /^no such table\b/.test(error.message) || isMissingTable(error.cause);
}
