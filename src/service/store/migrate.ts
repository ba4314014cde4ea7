import { setTimeout as delay } from "node:timers/promises";
import { computeBackoff } from "../../runtime/backoff.ts";
import { Unavailable } from "../../runtime/failures.ts";
import type { StoredAccount } from "../ports/account-store.ts";
import { define, LockTimeout, queryRows, query, type Driver, type Transaction } from "./driver.ts";
import { readMigrations, type Migration } from "./migration-files.ts";
import { insertAccount } from "./sql/accounts-sql.ts";

export type Schema = { databaseVersion: number; programVersion: number; pending: Migration[] };
/** What is enough to look at a database without changing it. */
export type Reader = Pick<Driver, "read">;
type AppliedMigration = { version: number; name: string; checksum: string; oldest_program: number };

/** A line that is indented belongs to the statement above it. */
const statementEnd = /;\s*\n(?=\S|$)/;
/** How often, and for how long, a migration that fails is tried again. */
const maxRetries = 8;
const timeoutMs = 30_000;
/** While others hold a lock it is tried for longer: between the attempts they all get their turn. */
const lockTimeoutMs = 120_000;
const backoff = { minMs: 5, maxMs: 500, jitter: 1 };

/**
 * Brings a database's schema up to date, all in one transaction, and returns what it applied. Where
 * nothing is to be done it only reads, so that a role without rights on the schema will do. A new
 * database begins with the account `first`.
 *
 * Several processes may do so at once. On PostgreSQL all but one of them fail, in as many ways as
 * there are statements: so a failure counts only when the work turns out not to be done by another.
 */
export async function migrate(
  driver: Driver,
  first: StoredAccount,
  migrations = readMigrations(),
): Promise<Migration[]> {
  const startMs = performance.now();
  let failure: unknown;
  for (let retries = 0; ; retries++) {
    const schema = await readSchema(driver, migrations);
    if (schema.pending.length === 0) return [];
    const tookMs = performance.now() - startMs;
    const isOver =
      failure instanceof LockTimeout
        ? tookMs > lockTimeoutMs
        : isPermanent(failure) || retries === maxRetries || tookMs > timeoutMs;
    if (failure && isOver) throw toMigrationError(failure, schema);
    if (failure) await delay(10 + computeBackoff(retries, backoff));
    try {
      return await driver.write(() => apply(schema, first));
    } catch (error) {
      failure = error;
    }
  }
}

/** Makes an empty database's schema; one that is there but older is left to `payments migrate`. */
export async function requireSchema(
  driver: Driver,
  first: StoredAccount,
  migrations = readMigrations(),
): Promise<void> {
  const { databaseVersion, programVersion, pending } = await readSchema(driver, migrations);
  if (databaseVersion === 0) await migrate(driver, first, migrations);
  else if (pending.length > 0) {
    throw new Unavailable(
      `The database has schema version ${databaseVersion}, and this program needs ${programVersion}. Nothing was changed.`,
      { hint: "Bring it up to date with payments migrate, or start the service, which does so." },
    );
  }
}

/**
 * Compares a database's schema with the migrations of this program, by what the database records of each: Unavailable
 * where one that was applied has another text here, or where a newer one says that this program is too old. While
 * replicas are replaced an older one may start again, so a newer schema is refused only then.
 */
export async function readSchema(reader: Reader, migrations = readMigrations()): Promise<Schema> {
  const applied = await readApplied(reader);
  const programVersion = migrations.length;
  const databaseVersion = applied.at(-1)?.version ?? 0;
  const newer = applied.filter(({ version }) => version > programVersion);
  if (newer.some(({ oldest_program }) => oldest_program > programVersion)) {
    throw new Unavailable(
      `The database has schema version ${databaseVersion}, but this program knows only ${programVersion}. Nothing was changed. Update payments.`,
    );
  }
  for (const { version, name, checksum } of applied) {
    const known = migrations[version - 1];
    if (known === undefined || known.checksum === checksum) continue;
    throw new Unavailable(
      `The database was migrated by another build of payments: ${name} differs from this program's. Nothing was changed.`,
      { hint: "Use the build that made the database, or name another database with --database." },
    );
  }
  return { databaseVersion, programVersion, pending: migrations.slice(databaseVersion) };
}

/** Whether a schema is the program's, or a newer one: then a service that runs can go on. */
export async function isCurrent(reader: Reader): Promise<boolean> {
  const applied = await reader.read(selectVersion);
  return applied >= readMigrations().length;
}

/** What the database records of its migrations, in order; nothing where it is empty. Rejects where it cannot be read. */
async function readApplied(reader: Reader): Promise<AppliedMigration[]> {
  const applied = await findApplied(reader);
  if (applied.length > 0 || !(await hasPayments(reader))) return applied;
  // Another process may have made the tables and their record since the record was looked for.
  const appliedSince = await findApplied(reader);
  if (appliedSince.length > 0) return appliedSince;
  throw unreleasedError();
}

async function findApplied(reader: Reader): Promise<AppliedMigration[]> {
  const sql =
    "SELECT version, name, checksum, oldest_program FROM schema_migrations ORDER BY version";
  try {
    return await reader.read(() => queryRows<AppliedMigration>(sql, []));
  } catch (error) {
    if (isMissing("table", error)) return [];
    throw isMissing("column", error) ? unreleasedError() : error;
  }
}

async function hasPayments(reader: Reader): Promise<boolean> {
  try {
    await reader.read(() => queryRows("SELECT 1 AS found FROM payments LIMIT 1", []));
    return true;
  } catch (error) {
    if (isMissing("table", error)) return false;
    throw error;
  }
}

/** What was made before the first release records no checksums, and has other tables. */
function unreleasedError(): Unavailable {
  return new Unavailable(
    "The database was made by a version of payments from before its first release, which this one cannot use. Nothing was changed.",
    { hint: "Name another database with --database, or move this one away to begin a new one." },
  );
}

function* selectVersion(): Transaction<number> {
  const sql = "SELECT COALESCE(MAX(version), 0) AS version FROM schema_migrations";
  const [row] = yield* queryRows<{ version: number }>(sql, []);
  return row?.version ?? 0;
}

/** The migrations' rows come first: two transactions that apply the same one meet at its key, and lock no other table. */
function* apply(
  { databaseVersion, pending }: Schema,
  first: StoredAccount,
): Transaction<Migration[]> {
  yield* define(
    "CREATE TABLE IF NOT EXISTS schema_migrations (version BIGINT NOT NULL, name TEXT NOT NULL, checksum TEXT NOT NULL, oldest_program BIGINT NOT NULL, PRIMARY KEY (version))",
  );
  if ((yield* selectVersion()) !== databaseVersion) {
    throw new Error("Another process has changed the schema.");
  }
  for (const { version, name, checksum, oldestProgram } of pending) {
    yield* define(
      "INSERT INTO schema_migrations (version, name, checksum, oldest_program) VALUES ($1, $2, $3, $4)",
      [version, `${name}.sql`, checksum, oldestProgram],
    );
  }
  for (const { text } of pending) {
    const statements = text.split(statementEnd).filter((statement) => statement.trim() !== "");
    for (const statement of statements) yield* define(statement);
  }
  if (databaseVersion === 0) yield* query(insertAccount(first));
  return pending;
}

function isPermanent(failure: unknown): boolean {
  return failure instanceof Unavailable && failure.isPermanent;
}

/** Adds what to do where a role may not change the schema, or a lock is not released; a full disk is reported as it is. */
function toMigrationError(failure: unknown, { databaseVersion, programVersion }: Schema): unknown {
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

/** Whether a statement failed because a table or column is not there: in SQLite's words, or by SQL's own code. */
function isMissing(what: "table" | "column", error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? error.code : undefined;
  if (code === (what === "table" ? "42P01" : "42703")) return true;
  return error.message.startsWith(`no such ${what}`) || isMissing(what, error.cause);
}
