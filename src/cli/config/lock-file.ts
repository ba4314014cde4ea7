import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { findFile, makeFolder } from "../../runtime/user-files.ts";
import { fileFailure } from "./json-file.ts";

const busy = 5;

/**
 * Holds a file until it is disposed of; undefined where another process does, and still does after
 * `waitMs`. It is a lock of SQLite's, which the system itself lets go of when a process ends, however
 * it ends.
 */
export function lockFile(file: string, { waitMs = 0 } = {}): Disposable | undefined {
  let database: DatabaseSync | undefined;
  try {
    makeFolder(dirname(file));
    findFile(file); // what is no file is refused
    database = new DatabaseSync(file, { timeout: waitMs });
    database.exec("BEGIN EXCLUSIVE");
    const held = database;
    return { [Symbol.dispose]: () => held.close() };
  } catch (error) {
    database?.close();
    if (error instanceof Error && "errcode" in error && error.errcode === busy) return undefined;
    throw fileFailure(file, error);
  }
}
