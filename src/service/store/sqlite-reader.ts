import { statSync, type Stats } from "node:fs";
import { resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { fileAt } from "../../contract/owned-files.ts";
import { runAtOnce, type Driver, type Work } from "./driver.ts";
import { unusable } from "./sqlite-errors.ts";
import { prepared } from "./sqlite-statement.ts";

type SqliteReader = Pick<Driver, "read" | "close">;

/**
 * Reads a SQLite database without leaving a trace; one that is not there is empty. Merely to read,
 * SQLite makes a `-wal` and a `-shm` file that only a writing connection removes. It makes none when
 * it is told that nothing changes, which is so while the `-wal` file is empty.
 */
export function openSqliteReader(file: string): SqliteReader {
  const isThere = isDatabaseAt(file);
  const parameters = statOf(`${file}-wal`)?.size ? "mode=ro" : "mode=ro&immutable=1";
  const db = isThere ? openSqliteFile(file, parameters) : new DatabaseSync(":memory:");
  return {
    read: async (work) => readWith(db, work),
    close: async () => db.close(),
  };
}

function isDatabaseAt(file: string): boolean {
  try {
    return fileAt(file) !== undefined;
  } catch (error) {
    throw unusable(file, error);
  }
}

/** What the file system says of a file; undefined where there is none. */
export function statOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    throw unusable(file, error);
  }
}

/** A connection by SQLite's own parameters, such as `mode=rw`; never makes the file. */
export function openSqliteFile(file: string, parameters: string): DatabaseSync {
  const url = pathToFileURL(resolve(file));
  url.search = parameters;
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(url, { timeout: 5_000 });
    db.prepare("SELECT COUNT(*) FROM sqlite_schema").get(); // SQLite looks into a file only now
    return db;
  } catch (error) {
    db?.close();
    throw unusable(file, error);
  }
}

/** Runs reading work on a connection, without a pause. */
export function readWith<T>(db: DatabaseSync, work: () => Work<T>): T {
  return runAtOnce(work(), (query) => prepared(db, query.sql)(query));
}
