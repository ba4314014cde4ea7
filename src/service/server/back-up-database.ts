import { lstatSync, statSync, type Stats } from "node:fs";
import { resolve } from "node:path";
import { ConfigError } from "../../runtime/failures.ts";
import { expandHome } from "../../runtime/user-files.ts";
import { describeDatabase, parseDatabase } from "../database/database.ts";
import { backUp } from "../database/backup.ts";
import { sqliteSuffixes } from "../database/new-file.ts";

/** The result that `payments backup` prints. */
export type BackupReport = {
  object: "backup";
  file: string;
  size_bytes: number;
  payments: number;
  schema_version: number;
  database: string;
};

/**
 * Copies a database into a new file while services use it; see store/backup.ts. ConfigError: the file cannot be
 * made there. Where `signal` aborts it, its reason is thrown.
 */
export async function backUpDatabase(
  database: string,
  target: string,
  signal: AbortSignal,
): Promise<BackupReport> {
  const source = requireSqliteFile(database);
  const file = resolve(expandHome(target));
  refuseTarget(target, file, source);
  try {
    const { sizeBytes, payments, schemaVersion } = await backUp(source, file, signal);
    return {
      object: "backup",
      file,
      size_bytes: sizeBytes,
      payments,
      schema_version: schemaVersion,
      database: describeDatabase(database),
    };
  } catch (error) {
    if (Error.isError(error) && "code" in error && error.code === "EEXIST")
      throw createExistsError(target);
    throw error;
  }
}

function requireSqliteFile(database: string): string {
  const parsed = parseDatabase(database);
  if ("url" in parsed) {
    throw new ConfigError(
      "payments backup copies SQLite databases only. Nothing was written.",
      "Back up PostgreSQL with its own pg_dump: see docs/operating.md.",
    );
  }
  if (parsed.file !== ":memory:") return parsed.file;
  throw new ConfigError(
    "A database in memory cannot be backed up.",
    "Name a file with --database.",
  );
}

function refuseTarget(target: string, file: string, source: string): void {
  if (target === "")
    throw new ConfigError("The name of the backup is empty.", "payments backup FILE");
  if (isSameFile(file, source)) {
    throw new ConfigError(
      `${target} is the database itself. Nothing was written.`,
      "Give the backup another name, best on another disk.",
    );
  }
  // SQLite takes a file with one of its suffixes for part of the database beside it.
  if (sqliteSuffixes.some((suffix) => file.endsWith(suffix))) {
    throw new ConfigError(
      `A backup cannot be named ${target}: SQLite uses such names itself.`,
      "Choose another name, such as payments-backup.db.",
    );
  }
  if (exists(file)) throw createExistsError(target);
  const remnant = sqliteSuffixes.map((suffix) => file + suffix).find(exists);
  if (remnant !== undefined) {
    throw new ConfigError(
      `${remnant} belongs to a database that stood there: SQLite would mix it into the backup. Nothing was written.`,
      "Move it away, or choose another name.",
    );
  }
}

/** Links are followed. */
function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => tryStat(() => statSync(path)));
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino;
}

/** A link to nothing counts, too. */
function exists(path: string): boolean {
  return tryStat(() => lstatSync(path)) !== undefined;
}

/** Undefined where there is none; other failures are reported when the path is opened. */
function tryStat(stat: () => Stats): Stats | undefined {
  try {
    return stat();
  } catch {
    return undefined;
  }
}

function createExistsError(target: string) {
  return new ConfigError(
    `${target} already exists, and a backup replaces nothing. Nothing was written.`,
    "Choose another name, or move it away.",
  );
}
