import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { findFile, makeFolder } from "../../runtime/user-files.ts";
import { fileFailure } from "./json-file.ts";

const sqliteBusy = 5;

/**
 * Locks a file until the lock is disposed of; undefined if another process still has the lock after `waitMs`.
 * The lock is SQLite's: the operating system releases it when the process ends, even by a crash.
 */
export function lockFile(file: string, { waitMs = 0 } = {}): Disposable | undefined {
  let database: DatabaseSync | undefined;
  try {
    makeFolder(dirname(file));
    findFile(file); // refuses what is not a file
    database = new DatabaseSync(file, { timeout: waitMs });
    database.exec("BEGIN EXCLUSIVE");
    return { [Symbol.dispose]: database.close.bind(database) };
  } catch (error) {
    database?.close();
    if (error instanceof Error && "errcode" in error && error.errcode === sqliteBusy)
      return undefined;
    throw fileFailure(file, error);
  }
}
