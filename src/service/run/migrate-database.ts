import { newAccount } from "../use-cases/accounts.ts";
import { databaseName, openDriver, openReader } from "../store/database.ts";
import { migrate, schemaOf, type Migration, type Schema } from "../store/migrate.ts";
import { ids } from "./ids.ts";

/** What `payments migrate` prints. `pending`: what is left to do, which is nothing but in a dry run. */
export type MigrationReport = {
  object: "migration";
  database: string;
  database_version: number;
  program_version: number;
  applied: Migration[];
  pending: Migration[];
};

/** Brings a database's schema up to date. */
export async function migrateDatabase(database: string): Promise<MigrationReport> {
  const driver = await openDriver(database);
  try {
    const applied = await migrate(driver, newAccount({ ids, clock: Date.now }));
    return reportOf(database, await schemaOf(driver), applied);
  } finally {
    await driver.close();
  }
}

/** What that would do. Nothing at all is written: not even a SQLite file that is not there yet. */
export async function plannedMigration(database: string): Promise<MigrationReport> {
  const reader = await openReader(database);
  try {
    return reportOf(database, await schemaOf(reader), []);
  } finally {
    await reader.close();
  }
}

function reportOf(database: string, schema: Schema, applied: Migration[]): MigrationReport {
  return {
    object: "migration",
    database: databaseName(database),
    database_version: schema.databaseVersion,
    program_version: schema.programVersion,
    applied,
    pending: schema.pending,
  };
}
