import { execFile } from "node:child_process";
import { type Stats, lstatSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { type DatabaseSync, backup } from "node:sqlite";
import { promisify } from "node:util";
import { createChildEnvironment, findProgramBeside } from "../../runtime/child-programs.ts";
import { ConfigError, Unavailable } from "../../runtime/failures.ts";
import { expandHome } from "../../runtime/user-files.ts";
import { describeDatabase, noDatabaseError, parseDatabase } from "../database/database.ts";
import { readSchema } from "../database/migrate.ts";
import { fillNewFile, sqliteSuffixes } from "../database/new-file.ts";
import { codes, describeSqliteError, primaryCode } from "../database/sqlite-errors.ts";
import { openSqliteFile, readStat, readWith } from "../database/sqlite-reader.ts";

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
 * Copies a database into a new file while services use it. ConfigError: the file cannot be made there. Where `signal`
 * aborts it, its reason is thrown.
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

type BackupCounts = { sizeBytes: number; schemaVersion: number; payments: number };

/** 4 MiB: small enough to be interrupted soon, and to share the disk. */
const pagesPerStep = 1_000;

/**
 * Copies a SQLite database into a new file, as one consistent view, while other processes write to it, and checks the
 * copy. No writer waits: in WAL mode a reader only delays the recycling of the -wal file, which grows meanwhile.
 *
 * SQLite's backup runs inside one read transaction: without it the backup starts over whenever another process
 * commits, and never ends under steady writes. VACUUM INTO was as quick (0.5 s for 200 MiB), but blocks this process,
 * so that Ctrl-C could not remove an unfinished file, and rebuilds the database instead of copying its pages.
 */
export async function backUp(
  file: string,
  target: string,
  signal: AbortSignal,
): Promise<BackupCounts> {
  const source = openSource(file);
  try {
    source.exec("BEGIN");
    const { databaseVersion } = await readSchema({
      read: async (reads) => readWith(source, reads),
    });
    if (databaseVersion === 0) throw noDatabaseError(`sqlite:${file}`);
    return await fillNewFile(target, async (temporary) => {
      await copy(source, temporary, signal);
      const checked = await checkCopy(temporary, signal);
      signal.throwIfAborted();
      return { ...checked, sizeBytes: statSync(temporary).size };
    });
  } catch (error) {
    throw toBackupError(error, target);
  } finally {
    source.close();
  }
}

/** Opens the source for writing, because only such a connection removes SQLite's own files when it closes last. */
function openSource(file: string): DatabaseSync {
  const found = readStat(file);
  if (!found) throw noDatabaseError(`sqlite:${file}`);
  if (!found.isFile()) throw new Unavailable(`${file} is not a file. Check --database.`);
  return openSqliteFile(file, "mode=rw");
}

async function copy(source: DatabaseSync, target: string, signal: AbortSignal): Promise<void> {
  const progress = () => signal.throwIfAborted();
  await backup(source, target, { rate: pagesPerStep, progress });
}

/** Describes why the operating system or SQLite refused; the caller reports EEXIST. */
function toBackupError(error: unknown, target: string): unknown {
  if (!Error.isError(error) || error instanceof Unavailable) return error;
  const because = describeFailure(error);
  if (because === undefined) return error;
  return new Unavailable(
    `The backup ${target} cannot be made: ${because}. Nothing was left there.`,
    {
      cause: error,
    },
  );
}

function describeFailure(error: NodeJS.ErrnoException): string | undefined {
  const sqliteCode = primaryCode(error);
  if (sqliteCode === codes.full) return diskFull;
  if (sqliteCode !== undefined) return describeSqliteError(error);
  switch (error.code) {
    case "ENOSPC":
    case "EDQUOT":
      return diskFull;
    case "ENOENT":
      return "there is no such folder; make it first";
    case "ENOTDIR":
      return "a part of its path is not a folder; choose another one";
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return "this user may not write to its folder; choose another one";
    case "EEXIST":
      return undefined;
    default:
      return error.code && error.message;
  }
}

const diskFull = "the disk is full; free some space there, or choose another folder";

type CheckedCopy = { schemaVersion: number; payments: number };
/** `damage`: the fault of the copy; `refusal`: the reason, a clause, why it could not be checked. */
export type CheckResult = CheckedCopy | { damage: string } | { refusal: string };

const run = promisify(execFile);

/**
 * Checks a copied database, and makes it one file without a -wal file beside it. That blocks for seconds per GiB, so
 * a separate process does it, which `signal` ends.
 */
async function checkCopy(file: string, signal: AbortSignal): Promise<CheckedCopy> {
  const result = await runCheck(file, signal);
  if ("payments" in result) return result;
  throw new Unavailable(
    "damage" in result
      ? `The copy did not pass its check (${result.damage}) and was removed. Try again; if that does not help, the database itself is damaged.`
      : `The copy could not be checked and was removed: ${result.refusal}.`,
  );
}

async function runCheck(file: string, signal: AbortSignal): Promise<CheckResult> {
  try {
    const env = createChildEnvironment(process.env);
    const options = { env, signal, killSignal: "SIGKILL", windowsHide: true } as const;
    const { stdout } = await run(
      process.execPath,
      [findProgramBeside(import.meta.url, "check-process"), file],
      options,
    );
    return JSON.parse(stdout) as CheckResult;
  } catch {
    signal.throwIfAborted();
    return { refusal: "the process that checks it has failed; try again" };
  }
}
