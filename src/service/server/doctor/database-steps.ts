import { type Stats, accessSync, constants } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { type Check, reportFailure, reportOk, reportWarning } from "../../../contract/doctor.ts";
import { quoteForShell } from "../../../runtime/text.ts";
import { describeFsError, findFile, findOpenFiles } from "../../../runtime/user-files.ts";
import {
  type Driver,
  commitOne,
  createStatement,
  diagnoseHint,
  queryRows,
} from "../../database/driver.ts";
import { sqliteSuffixes } from "../../database/new-file.ts";
import { parsePostgresUrl } from "../../database/postgres-url.ts";
import { unusableFileError } from "../../database/sqlite-errors.ts";
import { readStat } from "../../database/sqlite-reader.ts";

/**
 * One check. `help` is for an error of `run`: as a text where the error has no hint, as a function always. `run` returns
 * undefined where there is nothing to say.
 */
export type Step = {
  name: string;
  help: string | ((error: unknown) => string);
  run: () => Check | undefined | Promise<Check | undefined>;
};

const mebibyte = 1024 * 1024;

/** When free space is scarce, and a log too long; how the free space of a folder is read, in bytes. */
export type FileLimits = {
  warnFreeBytes: number;
  failFreeBytes: number;
  maxLogBytes: number;
  readFreeBytes: (folder: string) => Promise<number>;
};

/** The service shortens its log to 64 MiB once nothing reads old pages any more. */
const defaults: FileLimits = {
  warnFreeBytes: 1024 * mebibyte,
  failFreeBytes: 100 * mebibyte,
  maxLogBytes: 256 * mebibyte,
  readFreeBytes: async (folder) => {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  },
};

/** Whether there is a file; an Unavailable error where a path leads to something else. */
export function isSqliteFileThere(path: string): boolean {
  try {
    return path === ":memory:" || findFile(path) !== undefined;
  } catch (error) {
    throw unusableFileError(path, error);
  }
}

/** Checks around a SQLite file: the right to write, room on its disk, and a log that stays short. */
export function listFileSteps(path: string, changed: Partial<FileLimits> = {}): Step[] {
  const limits = { ...defaults, ...changed };
  if (path === ":memory:") return [];
  const file = findFile(path) ?? path;
  const folder = dirname(file);
  return [
    {
      name: "writable",
      help: `chmod u+w ${quoteForShell(path)}`,
      run: () => checkWritable(file, folder),
    },
    {
      name: "disk",
      help: `df -h ${quoteForShell(folder)}`,
      run: async () => checkSpace(await limits.readFreeBytes(folder), folder, limits),
    },
    {
      name: "log",
      help: `ls -l ${quoteForShell(`${path}-wal`)}`,
      run: () => checkLog(readStat(`${file}-wal`), path, limits),
    },
  ];
}

function checkWritable(file: string, folder: string): Check {
  for (const path of [file, folder]) {
    try {
      accessSync(path, constants.W_OK);
    } catch (error) {
      const detail = `This user cannot write to ${path}: ${describeFsError(error).reason}.`;
      return reportFailure(
        "writable",
        detail,
        `ls -ld ${quoteForShell(folder)} ${quoteForShell(file)}`,
      );
    }
  }
  return checkPrivate(file);
}

/** A group may be meant to read it, for backups. */
const groupMayRead = "0640";

function checkPrivate(file: string): Check {
  const open = findOpenFiles(["", ...sqliteSuffixes].map((suffix) => file + suffix));
  const [first] = open;
  if (!first) {
    return reportOk("writable", "This user may write to the file and its folder, and nobody else.");
  }
  const list = open.map((each) => `${each.file} (mode ${each.mode})`).join(", ");
  const help = `chmod 600 ${open.map((each) => quoteForShell(each.file)).join(" ")}`;
  return open.every(({ mode }) => mode === groupMayRead)
    ? reportWarning("writable", `The group can read ${list}.`, help)
    : reportFailure("writable", `Others can read or write ${list}.`, help);
}

function checkSpace(freeBytes: number, folder: string, limits: FileLimits): Check {
  const detail = `${formatBytes(freeBytes)} are free on the disk of ${folder}`;
  const help = `df -h ${quoteForShell(folder)}`;
  if (freeBytes < limits.failFreeBytes)
    return reportFailure("disk", `Only ${detail}: writes will fail soon.`, help);
  if (freeBytes < limits.warnFreeBytes) return reportWarning("disk", `Only ${detail}.`, help);
  return reportOk("disk", `${detail}.`);
}

function checkLog(log: Stats | undefined, path: string, { maxLogBytes }: FileLimits): Check {
  const size = log?.size ?? 0;
  const detail = `The log of writes, ${path}-wal, has ${formatBytes(size)}`;
  if (size <= maxLogBytes) return reportOk("log", `${detail}.`);
  return reportWarning(
    "log",
    `${detail}: a program has been reading the database for long, such as a backup, or none has closed it.`,
    `fuser -v ${quoteForShell(path)}`,
  );
}

function formatBytes(bytes: number): string {
  const count = bytes / mebibyte;
  if (count < 1) return `${Math.ceil(bytes / 1024)} KiB`;
  return count < 10 * 1024 ? `${Math.floor(count)} MiB` : `${Math.floor(count / 1024)} GiB`;
}

/** Checks of a PostgreSQL that answers: its pooler keeps statements and transactions, and the server accepts writes. */
export function listPostgresSteps(driver: Driver): Step[] {
  return [
    {
      name: "pooler",
      help: "In pgbouncer.ini: pool_mode = transaction, max_prepared_statements = 200",
      run: async () => {
        await driver.check?.();
        // A transaction that changes nothing: a pooler in statement mode refuses its BEGIN.
        await driver.write(() =>
          commitOne(createStatement("SELECT 1 AS one", [], () => undefined)),
        );
        return reportOk("pooler", "Prepared statements and transactions work.");
      },
    },
    {
      name: "writable",
      help: "payments migrate --dry-run",
      run: async () => {
        const sql = "SELECT current_setting('transaction_read_only') AS is_read_only";
        const [row] = await driver.read(() => queryRows<{ is_read_only: string }>(sql, []));
        if (row?.is_read_only === "on") {
          return reportFailure(
            "writable",
            "The server is read-only: a standby, or fenced. The service cannot write.",
            namePrimary,
          );
        }
        const [closed] = await driver.read(() => queryRows<ClosedTable>(findClosedTable, []));
        if (!closed) return reportOk("writable", "The server accepts writes.");
        return reportWarning(
          "writable",
          `This user may not write to the table ${closed.name}, so only commands that read work.`,
          `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${closed.schema} TO ${closed.user}`,
        );
      },
    },
  ];
}

/** The schema and the user are quoted as SQL wants them. */
type ClosedTable = { name: string; schema: string; user: string };

/** A table of the service that this user may not write to; none before there are tables. */
const findClosedTable = `SELECT relname AS name, quote_ident(current_schema()) AS schema, quote_ident(current_user) AS user
  FROM pg_class
  WHERE relnamespace = to_regnamespace(current_schema()) AND relkind IN ('r', 'p')
    AND relname IN ('payments', 'charges', 'events', 'idempotency_records')
    AND NOT (has_table_privilege(oid, 'INSERT') AND has_table_privilege(oid, 'UPDATE')
      AND has_table_privilege(oid, 'DELETE'))
  ORDER BY relname LIMIT 1`;

const namePrimary =
  "Name the primary in the URL too, with target_session_attrs=read-write; or SELECT pg_promote()";

/** The code is the same for the limit of a role, of a database, and of the server. */
const freeConnections =
  "ALTER ROLE … CONNECTION LIMIT, ALTER DATABASE … CONNECTION LIMIT or max_connections allow more; pool_max_conns=5 in the URL of each service takes fewer";

/** The remedy where a database cannot be reached, by PostgreSQL's code; the message says why. */
export function findPostgresRemedy(error: unknown, database: string): string {
  const { cause, hint } = error as { cause?: { code?: unknown }; hint?: string };
  if (hint !== undefined && hint !== diagnoseHint) return hint;
  const address = parsePostgresUrl(database);
  const [server] = address?.servers ?? [];
  if (!address || !server) return "payments doctor --database DATABASE";
  const code = typeof cause?.code === "string" ? cause.code : "";
  if (code.startsWith("28"))
    return "Correct the user and the password in PAYMENTS_DATABASE, where @ is %40, / is %2F and % is %25";
  if (code === "53300") return freeConnections;
  if (code === "25006") return namePrimary;
  if (code === "3D000") return `createdb ${quoteForShell(address.database)}`;
  return `pg_isready --host ${quoteForShell(server.host)} --port ${server.port || "5432"}`;
}
