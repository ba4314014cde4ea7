import { databaseName, isSqlite } from "./database-name.ts";
import { Unavailable } from "./service/ports.ts";
import type { Driver } from "./store/driver.ts";
import { openSqlite } from "./store/sqlite.ts";

/** The driver that a database needs: the one place that tells them apart. */
export async function openDriver(database: string): Promise<Driver> {
  if (isSqlite(database)) return await openSqlite({ file: fileOf(database) });
  throw new Unavailable(
    `This version cannot use ${databaseName(database)}. Give a database as sqlite:FILE, such as sqlite:payments.db.`,
  );
}

/** The file of a SQLite database. */
export function fileOf(database: string): string {
  return database.slice("sqlite:".length);
}
