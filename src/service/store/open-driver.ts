import { sqliteFile } from "./database-name.ts";
import { Unavailable } from "../../contract/failures.ts";
import type { Driver, DriverObserver } from "./driver.ts";
import { openSqlite } from "./sqlite.ts";

/** The driver of a database, `sqlite:FILE` or `postgres://…`; PostgreSQL's is loaded only for one. */
export async function openDriver(database: string, observer?: DriverObserver): Promise<Driver> {
  const file = sqliteFile(database);
  if (file !== undefined) return await openSqlite({ file, ...(observer && { observer }) });
  if (!/^postgres(?:ql)?:/.test(database)) {
    throw new Unavailable("A database is given as sqlite:FILE or as postgres://USER@HOST/NAME.");
  }
  const { openPostgres } = await import("./postgres.ts");
  return openPostgres(database, observer);
}
