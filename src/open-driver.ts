import { sqliteFile } from "./database-name.ts";
import type { Driver } from "./store/driver.ts";
import { openSqlite } from "./store/sqlite.ts";

/** The driver of a database, `sqlite:FILE` or `postgres://…`; PostgreSQL's is loaded only for one. */
export async function openDriver(database: string): Promise<Driver> {
  const file = sqliteFile(database);
  if (file !== undefined) return await openSqlite({ file });
  const { openPostgres } = await import("./store/postgres.ts");
  return openPostgres(database);
}
