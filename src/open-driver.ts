import { databaseName, sqliteFile } from "./database-name.ts";
import { Unavailable } from "./service/ports.ts";
import type { Driver } from "./store/driver.ts";
import { openSqlite } from "./store/sqlite.ts";

/** The driver that a database needs: the one place that tells them apart. */
export async function openDriver(database: string): Promise<Driver> {
  const file = sqliteFile(database);
  if (file !== undefined) return await openSqlite({ file });
  throw new Unavailable(
    `This version cannot use ${databaseName(database)}. Give a database as sqlite:FILE, such as sqlite:payments.db.`,
  );
}
