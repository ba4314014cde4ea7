import { DatabaseSync } from "node:sqlite";

/**
 * Has SQLite refuse every new payment of a database as it does on a full disk: it says the same where a
 * table has no number left for another row.
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
