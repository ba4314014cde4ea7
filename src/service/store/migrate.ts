import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { Unavailable } from "../../contract/failures.ts";
import { define, LockedOut, query, type Driver, type Work } from "./driver.ts";

/** A numbered file in `migrations`; its name is without `.sql`. */
export type Migration = { version: number; name: string };
export type Schema = { databaseVersion: number; programVersion: number; pending: Migration[] };
/** What is enough to look at a database without changing it. */
export type Reader = Pick<Driver, "read">;

/** A line that is indented belongs to the statement above it. */
const statementEnd = /;\s*\n(?=\S|$)/;
const folder = new URL("./migrations/", import.meta.url);
/** How often, and for how long, a migration that fails is tried again. */
const maxTries = 8;
const patienceMs = 30_000;
/** While others hold a lock it is tried for longer: between the tries they all get their turn. */
const lockPatienceMs = 120_000;
const longestPauseMs = 1_000;
/** The oldest schema whose programs work with the schema that this one makes. */
const oldestProgram = 4;

/**
 * Brings a database's schema up to date, all in one transaction, and says what it applied. Where
 * nothing is to be done it only reads, so that a role without rights on the schema will do.
 *
 * Several processes may do so at once. On PostgreSQL all but one of them fail, in as many ways as
 * there are statements: so a failure counts only when the work turns out not to be done by another.
 */
export async function migrate(driver: Driver): Promise<Migration[]> {
  const beganMs = performance.now();
  let failure: unknown;
  for (let tries = 0; ; tries++) {
    const schema = await schemaOf(driver);
    if (schema.pending.length === 0) return [];
    const isLocked = failure instanceof LockedOut;
    const tookMs = performance.now() - beganMs;
    const isOver = isLocked
      ? tookMs > lockPatienceMs
      : lasts(failure) || tries === maxTries || tookMs > patienceMs;
    if (isOver) throw notMigrated(failure, schema);
    if (failure) await delay(10 + Math.random() * Math.min(longestPauseMs, 10 * 2 ** tries));
    try {
      return await driver.write(apply);
    } catch (error) {
      failure = error;
    }
  }
}

/** Brings an empty database's schema up to date; one that is there but older is left to `payments migrate`. */
export async function requireSchema(driver: Driver): Promise<void> {
  const { databaseVersion, programVersion, pending } = await schemaOf(driver);
  if (databaseVersion === 0) await migrate(driver);
  else if (pending.length > 0) {
    throw new Unavailable(
      `The database has schema version ${databaseVersion}, and this program needs ${programVersion}. Nothing was changed.`,
      { hint: "Bring it up to date with payments migrate, or start the service, which does so." },
    );
  }
}

function lasts(failure: unknown): boolean {
  return failure instanceof Unavailable && failure.lasts;
}

/** A role that may not change the schema meets with this; a full disk is told as it is. */
function notMigrated(failure: unknown, { databaseVersion, programVersion }: Schema): unknown {
  if (!(failure instanceof Unavailable) || failure.lasts) return failure;
  return new Unavailable(
    `${failure.message} Its schema has version ${databaseVersion}, and this program needs ${programVersion}: run payments migrate as a user who may change it.`,
    { cause: failure },
  );
}

/**
 * How a database's schema stands to this program's. One that is newer is refused, unless it says that
 * programs of this version work with it: while replicas are replaced an older one may start again.
 */
export async function schemaOf(reader: Reader): Promise<Schema> {
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
  return readdirSync(folder)
    .filter((file) => /^\d{3}-.*\.sql$/.test(file))
    .toSorted()
    .map((file, index) => ({ version: index + 1, name: file.slice(0, -".sql".length) }));
}

function* version(): Work<number> {
  const sql = "SELECT COALESCE(MAX(version), 0) AS version FROM schema_migrations";
  const [row] = yield* query<{ version: number }>(sql, []);
  return row?.version ?? 0;
}

function* suits(programVersion: number): Work<boolean> {
  const sql =
    "SELECT oldest_program AS oldest FROM schema_migrations ORDER BY version DESC LIMIT 1";
  const [row] = yield* query<{ oldest: number | null }>(sql, []);
  return typeof row?.oldest === "number" && row.oldest <= programVersion;
}

/** Each migration's row comes first: two transactions that apply the same one meet at its key. */
function* apply(): Work<Migration[]> {
  yield* define(
    "CREATE TABLE IF NOT EXISTS schema_migrations (version BIGINT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (version))",
  );
  const pending = migrations().slice(yield* version());
  for (const migration of pending) {
    const file = `${migration.name}.sql`;
    yield* define("INSERT INTO schema_migrations (version, name) VALUES ($1, $2)", [
      migration.version,
      file,
    ]);
    const statements = readFileSync(new URL(file, folder), "utf8").split(statementEnd);
    for (const statement of statements) if (statement.trim()) yield* define(statement);
  }
  yield* define("UPDATE schema_migrations SET oldest_program = $1 WHERE version = $2", [
    oldestProgram,
    migrations().length,
  ]);
  return pending;
}

/** Whether a statement failed because a table is not there: in SQLite's words, or by SQL's own code. */
function isMissingTable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? error.code : undefined;
  return code === "42P01" || /^no such table\b/.test(error.message) || isMissingTable(error.cause);
}
