import { dirname } from "node:path";
import { insertAccount } from "../accounts/accounts-store.ts";
import { buildAccount } from "../accounts/manage-accounts.ts";
import { Unavailable } from "../../runtime/failures.ts";
import { describeDatabase, openDriver, openReader, parseDatabase } from "../database/database.ts";
import { readStat } from "../database/sqlite-reader.ts";
import { type Migration, type Schema, migrate, readSchema } from "../database/migrate.ts";
import { ids } from "../database/ids.ts";

/** The result that `payments migrate` prints. `pending`: migrations left to apply; empty except in a dry run. */
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
    const applied = await migrate(driver, insertAccount(buildAccount({ ids, clock: Date.now })));
    return toReport(database, await readSchema(driver), applied);
  } finally {
    await driver.close();
  }
}

/**
 * Reports the migrations that `migrateDatabase` would apply, and writes nothing: not even a SQLite file that does
 * not exist yet. The folder of a file that the user named must exist, because a missing one is more likely a typo.
 */
export async function planMigration(
  database: string,
  { isNamed = false } = {},
): Promise<MigrationReport> {
  if (isNamed) requireFolder(database);
  const reader = await openReader(database);
  try {
    return toReport(database, await readSchema(reader), []);
  } finally {
    await reader.close();
  }
}

function requireFolder(database: string): void {
  const parsed = parseDatabase(database);
  if ("url" in parsed || readStat(dirname(parsed.file))) return;
  throw new Unavailable(
    `There is no folder for a database at ${describeDatabase(database)}. Nothing was written.`,
    { hint: "Check --database or PAYMENTS_DATABASE; without --dry-run the folder is made, too." },
  );
}

function toReport(database: string, schema: Schema, applied: Migration[]): MigrationReport {
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
