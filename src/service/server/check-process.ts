// A process that checks a copied database (node check-process.js FILE) and prints the result as JSON. It blocks its
// event loop meanwhile; the process that started it can end it (see back-up-database.ts).
import { writeSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { CheckResult } from "./back-up-database.ts";
import { codes, primaryCode, describeSqliteError } from "../database/sqlite-errors.ts";

// Ctrl-C and a closed terminal signal this process too, but only its parent ends it, and removes the copy.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});

writeSync(1, JSON.stringify(checkFile(process.argv[2] ?? "")));

function checkFile(file: string): CheckResult {
  try {
    using db = new DatabaseSync(file);
    const read = (sql: string) => Object.values(db.prepare(sql).get() ?? {})[0];
    // In exclusive mode SQLite needs no -shm file, for which a full disk would have no room.
    db.exec("PRAGMA locking_mode = EXCLUSIVE");
    db.exec("PRAGMA journal_mode = DELETE"); // makes the file complete without a -wal file
    const found = read("PRAGMA integrity_check(1)");
    if (found !== "ok") return { damage: String(found).replaceAll(/\s+/g, " ") };
    return {
      schemaVersion: Number(read("SELECT MAX(version) FROM schema_migrations")),
      payments: Number(read("SELECT COUNT(*) FROM payments")),
    };
  } catch (error) {
    const code = primaryCode(error);
    const isDamaged = code === codes.corrupt || code === codes.notADatabase;
    return isDamaged
      ? { damage: describeSqliteError(error) }
      : { refusal: describeSqliteError(error) };
  }
}
