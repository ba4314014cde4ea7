import { readdirSync, readFileSync } from "node:fs";
import { Unavailable } from "../service/ports.ts";
import { query, type Driver, type Work } from "./driver.ts";

const folder = new URL("./migrations/", import.meta.url);

/**
 * Brings a database's schema up to date by the numbered files in `migrations`, each applied once,
 * all in one transaction. Several processes may do so at once: the first one does the work.
 */
export async function migrate(driver: Driver): Promise<void> {
  const files = migrations();
  const newest = files.length;
  const current = await driver.read(schemaVersion).catch(() => 0); // a new database has no such table
  if (current < newest) await driver.write(() => apply(files));
  if (current > newest) {
    throw new Unavailable(
      `The database has schema version ${current}, but this program knows only ${newest}. Update payments.`,
    );
  }
}

/** The schema version that this program brings a database to. */
export function knownVersion(): number {
  return migrations().length;
}

/** The schema version of a database; it rejects on one that has no schema yet. */
export function* schemaVersion(): Work<number> {
  const sql = "SELECT COALESCE(MAX(version), 0) AS version FROM schema_migrations";
  const [row] = yield* query<{ version: number }>(sql, []);
  return row?.version ?? 0;
}

function* apply(files: string[]): Work<void> {
  yield* query(
    "CREATE TABLE IF NOT EXISTS schema_migrations (version BIGINT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (version))",
    [],
  );
  const current = yield* schemaVersion();
  for (const [index, name] of files.entries()) {
    if (index < current) continue;
    const statements = readFileSync(new URL(name, folder), "utf8").split(/;\s*$/m);
    for (const statement of statements) if (statement.trim()) yield* query(statement, []);
    yield* query("INSERT INTO schema_migrations (version, name) VALUES ($1, $2)", [
      index + 1,
      name,
    ]);
  }
}

function migrations(): string[] {
  return readdirSync(folder)
    .filter((name) => /^\d{3}-.*\.sql$/.test(name))
    .toSorted();
}
