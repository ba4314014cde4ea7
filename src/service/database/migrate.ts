import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { getAsset, getAssetKeys, isSea } from "node:sea";
import { setTimeout as delay } from "node:timers/promises";
import { Unavailable } from "../../runtime/failures.ts";
import { computeBackoff } from "../../runtime/time.ts";
import {
  type Driver,
  LockTimeout,
  type Statement,
  type Transaction,
  define,
  query,
  queryRows,
} from "./driver.ts";

export type Schema = { databaseVersion: number; programVersion: number; pending: Migration[] };
export type Reader = Pick<Driver, "read">;
type AppliedMigration = { version: number; name: string; checksum: string; oldest_program: number };

/** An indented line belongs to the statement above it. */
const statementEnd = /;\s*\n(?=\S|$)/;
const maxRetries = 8;
const timeoutMs = 30_000;
/** Lock timeouts are retried for longer: between the attempts other transactions have their turn. */
const lockTimeoutMs = 120_000;
const backoff = { minMs: 5, maxMs: 500, jitter: 1 };

/**
 * Brings a database's schema up to date, all in one transaction, and returns what it applied. An up-to-date schema is
 * only read, so that the role needs no rights to change it. A new database begins with what `first` writes.
 *
 * Several replicas may migrate at once. On PostgreSQL all but one of them fail, each with another error, so an error
 * counts only where no other replica has applied the migration.
 */
export async function migrate(
  driver: Driver,
  first: Statement<unknown>,
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

/** Creates the schema of an empty database; an older schema is left to `payments migrate`. */
export async function requireSchema(
  driver: Driver,
  first: Statement<unknown>,
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
 * Compares the applied migrations of a database with those of this program. Unavailable where an applied one has
 * another text here, or a newer one requires a newer program. Other newer schemas are accepted, since an older
 * replica may start again during a deployment.
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

/** Whether a schema is this program's or a newer one, with which a running service can go on. */
export async function isCurrent(reader: Reader): Promise<boolean> {
  const applied = await reader.read(selectVersion);
  return applied >= readMigrations().length;
}

/** The applied migrations of a database, in order; none where it is empty. */
async function readApplied(reader: Reader): Promise<AppliedMigration[]> {
  const applied = await findApplied(reader);
  if (applied.length > 0 || !(await hasPayments(reader))) return applied;
  // Another process may have migrated the database since the first look.
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

/** A database from before the first release has no checksums, and other tables. */
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

/**
 * The migrations' rows are written first: two transactions that apply the same migration conflict on its key, before
 * they lock any other table.
 */
function* apply(
  { databaseVersion, pending }: Schema,
  first: Statement<unknown>,
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
  if (databaseVersion === 0) yield* query(first);
  return pending;
}

function isPermanent(failure: unknown): boolean {
  return failure instanceof Unavailable && failure.isPermanent;
}

/** Adds what to do where a role may not change the schema, or a lock timed out; a full disk is reported as it is. */
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

/** Whether a statement failed because a table or column is missing: by SQLite's message, or SQL's error code. */
function isMissing(what: "table" | "column", error: unknown): boolean {
  if (!Error.isError(error)) return false;
  const code = "code" in error ? error.code : undefined;
  if (code === (what === "table" ? "42P01" : "42703")) return true;
  return error.message.startsWith(`no such ${what}`) || isMissing(what, error.cause);
}

/**
 * A numbered file in `migrations`; its name is without `.sql`. `checksum` is the SHA-256 of its text.
 * `oldestProgram`: the last migration of the oldest program that still works with the schema after this one.
 */
export type Migration = {
  version: number;
  name: string;
  text: string;
  checksum: string;
  oldestProgram: number;
};

/** The migrations are in a folder beside this file, or are assets of a single executable. */
const folder = new URL("./migrations/", import.meta.url);

let knownMigrations: Migration[] | undefined;

/**
 * Every migration that this program knows, in order. They are read once: an update may replace the files while the
 * program runs.
 */
export function readMigrations(): readonly Migration[] {
  knownMigrations ??= readFiles();
  return knownMigrations;
}

function readFiles(): Migration[] {
  const files = isSea() ? getAssetKeys() : readdirSync(folder);
  return files
    .filter((file) => /^\d{3}-.*\.sql$/.test(file))
    .toSorted()
    .map((file) => {
      const text = isSea() ? getAsset(file, "utf8") : readFileSync(new URL(file, folder), "utf8");
      return createMigration(file.slice(0, -".sql".length), text.replaceAll("\r\n", "\n"));
    });
}

export function createMigration(name: string, text: string): Migration {
  const [, oldest] = /^-- oldest program: (\d+)$/m.exec(text) ?? [];
  if (oldest === undefined) throw new Error(`${name} lacks its line "-- oldest program: N".`);
  return {
    version: Number(name.slice(0, 3)),
    name,
    text,
    checksum: createHash("sha256").update(text).digest("hex"),
    oldestProgram: Number(oldest),
  };
}
