import {
  reportFailure,
  reportOk,
  reportWarning,
  type Check,
} from "../../../contract/doctor-check.ts";
import { describeDatabase, openExisting, parseDatabase } from "../../store/database.ts";
import { queryRows, type Driver } from "../../store/driver.ts";
import { readSchema } from "../../store/migrate.ts";
import { listBacklogSteps } from "./backlog-checks.ts";
import { createEmbeddedKeyStep } from "./embedded-key-check.ts";
import { findPostgresRemedy, listPostgresSteps } from "./postgres-checks.ts";
import { runSteps } from "./run-steps.ts";
import { isSqliteFileThere, listFileSteps, type FileLimits } from "./sqlite-file-checks.ts";

export type DatabaseToCheck = {
  database: string;
  /** The user's own database, which is not named, need not be there yet, and is migrated by the next command. */
  isNamed: boolean;
  /** The folder of the embedded service's keys, which are checked where it is given. */
  keyFolder?: string | undefined;
  nowMs?: number;
  fileLimits?: Partial<FileLimits>;
};

/**
 * The checks of a database. They only read: no database is made or migrated, and a SQLite file is read without
 * leaving a trace. Checks that depend on a failed one are left out.
 */
export async function* checkDatabase(settings: DatabaseToCheck): AsyncGenerator<Check> {
  const { database, isNamed, keyFolder, nowMs = Date.now(), fileLimits } = settings;
  let driver: Driver | undefined;
  let isCurrent = false;
  const name = describeDatabase(database);
  const migrate = `payments migrate${isNamed && name.startsWith("sqlite:") ? ` --database ${name}` : ""}`;
  const reach = async () => {
    const address = parseDatabase(database);
    if ("file" in address && !isSqliteFileThere(address.file)) {
      return isNamed
        ? reportFailure("database", `There is no database of payments at ${name}.`, migrate)
        : reportOk("database", `There is none yet at ${name}: the first command makes it.`);
    }
    driver = await openWithoutCheck(database);
    await driver.read(() => queryRows("SELECT 1 AS one", []));
    return reportOk("database", `${name} answers.`);
  };
  const checkSchema = async (opened: Driver) => {
    const { databaseVersion, programVersion } = await readSchema(opened);
    const versions = `The schema has version ${databaseVersion}, and this program needs ${programVersion}.`;
    if (databaseVersion === 0)
      return reportFailure(
        "schema",
        `There is no database of payments at ${name}: it is empty.`,
        migrate,
      );
    isCurrent = databaseVersion >= programVersion;
    if (databaseVersion < programVersion && isNamed)
      return reportFailure("schema", versions, migrate);
    if (databaseVersion < programVersion)
      return reportWarning("schema", `${versions} The next command brings it up to date.`, migrate);
    if (databaseVersion > programVersion)
      return reportWarning(
        "schema",
        `The schema has version ${databaseVersion}, and this program was made for ${programVersion}. It works, and is older than the one that migrated it.`,
        "payments --version",
      );
    return reportOk("schema", `The schema has version ${databaseVersion}.`);
  };
  try {
    const help = (error: unknown) => findPostgresRemedy(error, database);
    const isReached = yield* runSteps([{ name: "database", help, run: reach }]);
    if (!isReached || !driver) return;
    const opened = driver;
    const address = parseDatabase(database);
    const isUsable = yield* runSteps([
      ...("file" in address ? listFileSteps(address.file, fileLimits) : listPostgresSteps(opened)),
      { name: "schema", help: "payments --version", run: async () => checkSchema(opened) },
    ]);
    if (!isCurrent || (!isUsable && "url" in address)) return;
    yield* runSteps([
      ...listBacklogSteps(opened, { nowMs, isServed: isNamed }),
      ...(keyFolder === undefined ? [] : [createEmbeddedKeyStep(opened, keyFolder)]),
    ]);
  } finally {
    await driver?.close();
  }
}

/** Opens a PostgreSQL without the check of its pooler, which is a check of its own here. */
async function openWithoutCheck(database: string): Promise<Driver> {
  const address = parseDatabase(database);
  if ("file" in address) return await openExisting(database);
  const { openPostgres } = await import("../../store/postgres.ts");
  return openPostgres(address.url);
}
