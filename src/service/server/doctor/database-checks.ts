import { reportFailure, reportOk, type Check } from "../../../contract/doctor-check.ts";
import { quoteForShell } from "../../../runtime/text.ts";
import { describeDatabase, openExisting, parseDatabase } from "../../store/database.ts";
import { queryRows, type Driver } from "../../store/driver.ts";
import { listBacklogSteps } from "./backlog-checks.ts";
import { createEmbeddedKeyStep } from "./embedded-key-check.ts";
import { findPostgresRemedy, listPostgresSteps } from "./postgres-checks.ts";
import { runSteps, type Step } from "./run-steps.ts";
import { createSchemaStep } from "./schema-check.ts";
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
  const name = describeDatabase(database);
  const named = isNamed && name.startsWith("sqlite:") ? ` --database ${quoteForShell(name)}` : "";
  const migrate = `payments migrate${named}`;
  let opened: Driver | undefined;
  const reach: Step = {
    name: "database",
    help: (error) => findPostgresRemedy(error, database),
    run: async () => {
      opened = await openIfThere(database);
      if (opened) await opened.read(() => queryRows("SELECT 1 AS one", []));
      if (opened) return reportOk("database", `${name} answers.`);
      return isNamed
        ? reportFailure("database", `There is no database of payments at ${name}.`, migrate)
        : reportOk("database", `There is none yet at ${name}: the first payment command makes it.`);
    },
  };
  try {
    const isReached = yield* runSteps([reach]);
    const driver = opened;
    if (!isReached || !driver) return;
    const address = parseDatabase(database);
    const isFile = "file" in address;
    const schema = createSchemaStep(driver, { name, migratesItself: !isNamed, migrate });
    const isUsable = yield* runSteps([
      ...(isFile ? listFileSteps(address.file, fileLimits) : listPostgresSteps(driver)),
      schema.step,
    ]);
    // A file that cannot be written, or with a full disk around it, can still be read; a pooler that fails cannot.
    if (!schema.isUsable() || (!isUsable && !isFile)) return;
    yield* runSteps([
      ...listBacklogSteps(driver, { nowMs, isServed: isNamed }),
      ...(keyFolder === undefined ? [] : [createEmbeddedKeyStep(driver, keyFolder)]),
    ]);
  } finally {
    await opened?.close();
  }
}

/**
 * Undefined where there is no SQLite file. A PostgreSQL is opened without the check of its pooler, which is a check of
 * its own here.
 */
async function openIfThere(database: string): Promise<Driver | undefined> {
  const address = parseDatabase(database);
  if ("file" in address)
    return isSqliteFileThere(address.file) ? await openExisting(database) : undefined;
  const { openPostgres } = await import("../../store/postgres.ts");
  return openPostgres(address.url, undefined, { analyzes: false });
}
