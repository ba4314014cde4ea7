import { type Check, reportFailure, reportOk, reportWarning } from "../../../contract/doctor.ts";
import { modes } from "../../../contract/field-values.ts";
import { quoteForShell } from "../../../runtime/text.ts";
import { hashKey } from "../../accounts/authenticate.ts";
import { createAccountStore } from "../../accounts/accounts-store.ts";
import { describeDatabase, openExisting, parseDatabase } from "../../database/database.ts";
import { type Driver, queryRows } from "../../database/driver.ts";
import { readSchema } from "../../database/migrate.ts";
import { findEmbeddedKeys, resolveEmbeddedKeyFile } from "../embedded-keys.ts";
import { listBacklogSteps } from "./backlog-checks.ts";
import { findPostgresRemedy, listPostgresSteps } from "./postgres-checks.ts";
import { type Step, runSteps } from "./run-steps.ts";
import { type FileLimits, isSqliteFileThere, listFileSteps } from "./sqlite-file-checks.ts";

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
  const { openPostgres } = await import("../../database/postgres.ts");
  return openPostgres(address.url, undefined, { analyzes: false });
}

/** `migratesItself`: whether the next command brings an older schema up to date. `migrate`: the command that does. */
type Expected = { name: string; migratesItself: boolean; migrate: string };

/** The check of the schema, and whether it has found one that this program can read. */
function createSchemaStep(driver: Driver, expected: Expected) {
  let isUsable = false;
  const step: Step = {
    name: "schema",
    help: "payments --version",
    run: async () => {
      const schema = await readSchema(driver);
      isUsable = schema.databaseVersion >= schema.programVersion;
      return compareVersions(schema, expected);
    },
  };
  return { step, isUsable: () => isUsable };
}

function compareVersions(
  schema: { databaseVersion: number; programVersion: number },
  { name, migratesItself, migrate }: Expected,
): Check {
  const { databaseVersion: version, programVersion: needed } = schema;
  if (version === 0) {
    const detail = `${name} has no tables of payments. If it is meant for payments, make them.`;
    return reportFailure("schema", detail, migrate);
  }
  if (version < needed) {
    const detail = `The schema has version ${version}, and this program needs ${needed}.`;
    return migratesItself
      ? reportWarning("schema", `${detail} The next command brings it up to date.`, migrate)
      : reportFailure("schema", detail, migrate);
  }
  if (version === needed) return reportOk("schema", `The schema has version ${version}.`);
  const detail = `The schema has version ${version}, of a newer program. This one, made for ${needed}, still works with it.`;
  return reportWarning("schema", detail, "payments --version");
}

/** Checks the keys of the embedded service, which its first use makes, and which only a revocation ends. */
function createEmbeddedKeyStep(driver: Driver, folder: string): Step {
  const file = resolveEmbeddedKeyFile(folder);
  return {
    name: "key",
    help: `rm ${quoteForShell(file)}`,
    run: async () => {
      const keys = findEmbeddedKeys(folder);
      if (!keys) return undefined;
      const accounts = createAccountStore(driver);
      for (const mode of modes) {
        const key = (await accounts.findKey(hashKey(keys[mode])))?.key;
        if (key && key.revoked_at !== null) {
          const detail = `The embedded service's own ${mode} key was revoked; without ${file} the next command makes new ones.`;
          return reportFailure("key", detail, `rm ${quoteForShell(file)}`);
        }
      }
      return reportOk("key", "The embedded service has keys of its own.");
    },
  };
}
