import { DatabaseSync } from "node:sqlite";

/**
 * Makes SQLite refuse every new payment as on a full disk: it reports the same error where a table has no row id
 * left.
 */
export function fillDisk(database: string): void {
  const db = new DatabaseSync(database.slice("sqlite:".length));
  db.exec(`
    CREATE TABLE disk (id INTEGER PRIMARY KEY AUTOINCREMENT, used INTEGER);
    INSERT INTO disk VALUES (9223372036854775807, 0);
    CREATE TRIGGER full BEFORE INSERT ON payments BEGIN INSERT INTO disk (used) VALUES (1); END;
  `);
  db.close();
}
