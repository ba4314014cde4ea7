// A process that checks a copied database and prints the answer as JSON:
//   node check-process.js FILE
// It keeps its event loop busy for as long as that takes; who started it ends it (see check-copy.ts).
import { writeSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { CheckReply } from "./check-copy.ts";
import { codes, primaryCode, describeSqliteError } from "./sqlite-errors.ts";

// Ctrl-C and a terminal that is closed reach this process too: the other one, which tidies up, is to hear of it first.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});

writeSync(1, JSON.stringify(answerTo(process.argv[2] ?? "")));

function answerTo(file: string): CheckReply {
  try {
    using db = new DatabaseSync(file);
    const ask = (sql: string) => Object.values(db.prepare(sql).get() ?? {})[0];
    // In exclusive mode SQLite needs no -shm file, for which a full disk would have no room.
    db.exec("PRAGMA locking_mode = EXCLUSIVE");
    db.exec("PRAGMA journal_mode = DELETE"); // the file alone is whole, wherever it is carried
    const found = ask("PRAGMA integrity_check(1)");
    if (found !== "ok") return { damage: String(found).replaceAll(/\s+/g, " ") };
    return {
      schemaVersion: Number(ask("SELECT MAX(version) FROM schema_migrations")),
      payments: Number(ask("SELECT COUNT(*) FROM payments")),
    };
  } catch (error) {
    const code = primaryCode(error);
    const isDamaged = code === codes.corrupt || code === codes.notADatabase;
    return isDamaged
      ? { damage: describeSqliteError(error) }
      : { refusal: describeSqliteError(error) };
  }
}
