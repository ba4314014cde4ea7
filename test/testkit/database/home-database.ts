import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { migrateDatabase } from "../../../src/service/server/migrate-database.ts";
import { createTemporaryHome } from "../temporary.ts";

const schemas = new Map<string, number>();

/**
 * The environment that selects the database of a home: empty on SQLite, whose file is in the home; on PostgreSQL one
 * of the prepared schemas, the same for the same home.
 */
export function databaseOfHome(home: string): { PAYMENTS_DATABASE?: string } {
  const server = inject("postgresUrl");
  if (server === undefined) return {};
  const schema = schemas.get(home) ?? reserveSchema();
  schemas.set(home, schema);
  const options = encodeURIComponent(`-c search_path=home_${schema}`);
  return { PAYMENTS_DATABASE: `${server}?options=${options}` };
}

const migrations = new Map<string, Promise<unknown>>();

/** Migrates the database of a home on PostgreSQL, since most commands do not migrate a named database. */
export async function beginNamedDatabase(home: string): Promise<void> {
  if (databaseOfHome(home).PAYMENTS_DATABASE !== undefined) await beginDatabase(home);
}

/** Begins the database of a home, on which the operator's commands act: they begin none. */
export async function beginDatabase(home: string): Promise<void> {
  const { PAYMENTS_DATABASE: database = `sqlite:${join(home, "payments.db")}` } =
    databaseOfHome(home);
  const migration = migrations.get(database) ?? migrateDatabase(database);
  migrations.set(database, migration);
  await migration;
}

/** Creates a home with a database. */
export async function createHomeWithDatabase(): Promise<string> {
  const home = createTemporaryHome();
  await beginDatabase(home);
  return home;
}

/** Reserves a schema that no test uses, in this process or another one. */
function reserveSchema(): number {
  const { folder, count } = inject("homeSchemas");
  const first = Math.floor(Math.random() * count);
  for (let attempts = 0; attempts < count; attempts++) {
    const schema = (first + attempts) % count;
    try {
      closeSync(openSync(join(folder, `${schema}`), "wx"));
      return schema;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
  throw new Error(`All ${count} schemas are in use: postgres-for-all.ts makes them.`);
}
