import { buildAccount } from "../accounts/manage-accounts.ts";
import { dirname } from "node:path";
import { Unavailable } from "../../runtime/failures.ts";
import { describeDatabase, openDriver, openReader, parseDatabase } from "../store/database.ts";
import { readStat } from "../store/sqlite-reader.ts";
import { migrate, readSchema, type Schema } from "../store/migrate.ts";
import type { Migration } from "../store/migration-files.ts";
import { ids } from "./ids.ts";

/** What `payments migrate` prints. `pending`: what is left to do, which is nothing but in a dry run. */
export type MigrationReport = {
  object: "migration";
  database: string;
  database_version: number;
  program_version: number;
  applied: MigrationStep[];
  pending: MigrationStep[];
};
type MigrationStep = Pick<Migration, "version" | "name">;

/** Brings a database's schema up to date. */
export async function migrateDatabase(database: string): Promise<MigrationReport> {
  const driver = await openDriver(database);
  try {
    const applied = await migrate(driver, buildAccount({ ids, clock: Date.now }));
    return reportOf(database, await readSchema(driver), applied);
  } finally {
    await driver.close();
  }
}

/**
 * What that would do. Nothing at all is written: not even a SQLite file that is not there yet. The folder of
 * one that somebody named must be there: where it is not, the name is more likely a mistake.
 */
export async function planMigration(
  database: string,
  { isNamed = false } = {},
): Promise<MigrationReport> {
  if (isNamed) requireFolder(database);
  const reader = await openReader(database);
  try {
    return reportOf(database, await readSchema(reader), []);
  } finally {
    await reader.close();
  }
}

function requireFolder(database: string): void {
  const place = parseDatabase(database);
  if ("url" in place || readStat(dirname(place.file))) return;
  throw new Unavailable(
    `There is no folder for a database at ${describeDatabase(database)}. Nothing was written.`,
    { hint: "Check --database or PAYMENTS_DATABASE; without --dry-run the folder is made, too." },
  );
}

function reportOf(database: string, schema: Schema, applied: Migration[]): MigrationReport {
  return {
    object: "migration",
    database: describeDatabase(database),
    database_version: schema.databaseVersion,
    program_version: schema.programVersion,
    applied: applied.map(toStep),
    pending: schema.pending.map(toStep),
  };
}

function toStep({ version, name }: Migration): MigrationStep {
  return { version, name };
}
