import { statSync, type Stats } from "node:fs";
import { resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { findFile } from "../../runtime/user-files.ts";
import { runSync, type Driver, type Transaction } from "./driver.ts";
import { toUnavailable, unusableFileError } from "./sqlite-errors.ts";
import { prepareCached } from "./sqlite.ts";

type SqliteReader = Pick<Driver, "read" | "close">;

const maxQuietReads = 5;

/**
 * Reads a SQLite database without leaving a trace; a missing one counts as empty. Even to read, SQLite creates a
 * `-wal` and a `-shm` file that only a writing connection removes, unless the file is opened as immutable. That is
 * correct while the `-wal` file is empty, so each read has its own connection, and is repeated where the files have
 * changed before its end.
 */
export function openSqliteReader(file: string): SqliteReader {
  return {
    read: async (work) => {
      for (let reads = 0; ; reads++) {
        const before = readFileState(file);
        const isQuiet = before.walSize === 0 && reads < maxQuietReads;
        const isUnchanged = () => !isQuiet || isDeepStrictEqual(readFileState(file), before);
        try {
          const value = readOnce(file, isQuiet ? "mode=ro&immutable=1" : "mode=ro", work);
          if (isUnchanged()) return value;
        } catch (error) {
          if (isUnchanged()) throw error;
        }
      }
    },
    close: async () => {},
  };
}

/** The driver of a SQLite database that leaves no trace until the first write. */
export function openSqliteToRead(file: string): Driver {
  const reader = openSqliteReader(file);
  let writer: Promise<Driver> | undefined;
  return {
    maxRows: 1,
    read: async (work) => (writer ? (await writer).read(work) : reader.read(work)),
    write: async (work) => {
      writer ??= import("./sqlite.ts").then(async ({ openSqlite }) => openSqlite({ file }));
      return await (await writer).write(work);
    },
    close: async () => (await writer?.catch(() => undefined))?.close(),
  };
}

function readOnce<T>(file: string, parameters: string, work: () => Transaction<T>): T {
  const db = isFileThere(file) ? openSqliteFile(file, parameters) : new DatabaseSync(":memory:");
  try {
    return readWith(db, work);
  } catch (error) {
    throw toUnavailable(error);
  } finally {
    db.close();
  }
}

/** The state of the files, which changes when another process writes. */
function readFileState(file: string): {
  walSize: number;
  size: number | undefined;
  changedMs: number | undefined;
} {
  const [main, wal] = [readStat(file), readStat(`${file}-wal`)];
  return { walSize: wal?.size ?? 0, size: main?.size, changedMs: main?.mtimeMs };
}

function isFileThere(file: string): boolean {
  try {
    return findFile(file) !== undefined;
  } catch (error) {
    throw unusableFileError(file, error);
  }
}

/** Reads a file's metadata; undefined where there is none. */
export function readStat(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    throw unusableFileError(file, error);
  }
}

/** Opens a connection with SQLite's own parameters, such as `mode=rw`; never creates the file. */
export function openSqliteFile(file: string, parameters: string): DatabaseSync {
  const url = pathToFileURL(resolve(file));
  url.search = parameters;
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(url, { timeout: 5_000 });
    db.prepare("SELECT COUNT(*) FROM sqlite_schema").get(); // SQLite reads the file only now
    return db;
  } catch (error) {
    db?.close();
    throw unusableFileError(file, error);
  }
}

export function readWith<T>(db: DatabaseSync, work: () => Transaction<T>): T {
  return runSync(work(), (query) => prepareCached(db, query.sql)(query));
}
