import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { Unavailable } from "../service/ports.ts";
import type { Driver, Row, Work } from "./driver.ts";
import { reason } from "./sqlite-errors.ts";

type SqliteReader = Pick<Driver, "read" | "close">;

/**
 * Reads a SQLite database without leaving a trace; one that is not there is empty. Merely to read,
 * SQLite makes a `-wal` and a `-shm` file that only a writing connection removes. It makes none when
 * it is told that nothing changes, which is so while the `-wal` file is empty.
 */
export function openSqliteReader(file: string): SqliteReader {
  const nothingInWal = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0;
  const db = existsSync(file)
    ? openSqliteFile(file, nothingInWal ? "mode=ro&immutable=1" : "mode=ro")
    : new DatabaseSync(":memory:");
  return {
    read: async (work) => readWith(db, work),
    close: async () => db.close(),
  };
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
    throw new Unavailable(`The database ${file} cannot be used: ${reason(error)}.`, {
      cause: error,
    });
  }
}

/** Runs reading work on a connection, without a pause. */
export function readWith<T>(db: DatabaseSync, work: () => Work<T>): T {
  const running = work();
  let step = running.next();
  while (!step.done) {
    const { sql, params } = step.value;
    const statement = db.prepare(sql.replaceAll(/\$(\d)/g, "?$1"));
    step = running.next(statement.all(...params) as Row[]);
  }
  return step.value;
}
