import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { migrateDatabase } from "../../../src/service/server/migrate-database.ts";

const schemas = new Map<string, number>();

/**
 * What tells a command with this home which database is its own: nothing on SQLite, where that is a
 * file in the home; on PostgreSQL one of the schemas that stand ready, the same for the same home.
 */
export function databaseOfHome(home: string): { PAYMENTS_DATABASE?: string } {
  const server = inject("postgresUrl");
  if (server === undefined) return {};
  const schema = schemas.get(home) ?? nextSchema();
  schemas.set(home, schema);
  const options = encodeURIComponent(`-c search_path=home_${schema}`);
  return { PAYMENTS_DATABASE: `${server}?options=${options}` };
}

const begun = new Map<string, Promise<unknown>>();

/** Begins that database: as one that is named, no command but a few does so. Nothing is done on SQLite. */
export async function beginDatabaseOfHome(home: string): Promise<void> {
  const { PAYMENTS_DATABASE: database } = databaseOfHome(home);
  if (database === undefined) return;
  const beginning = begun.get(database) ?? migrateDatabase(database);
  begun.set(database, beginning);
  await beginning;
}

/** The next schema that no test has taken, in this process or another one. */
function nextSchema(): number {
  const { folder, count } = inject("homeSchemas");
  const first = Math.floor(Math.random() * count);
  for (let tried = 0; tried < count; tried++) {
    const schema = (first + tried) % count;
    try {
      closeSync(openSync(join(folder, `${schema}`), "wx"));
      return schema;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
  throw new Error(`All ${count} schemas are taken: postgres-for-all.ts makes them.`);
}
