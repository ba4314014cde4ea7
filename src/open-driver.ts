import { Unavailable } from "./service/ports.ts";
import type { Driver } from "./store/driver.ts";
import { openSqlite } from "./store/sqlite.ts";

/** The driver of a database, `sqlite:FILE` or `postgres://…`; PostgreSQL's is loaded only for one. */
export async function openDriver(database: string): Promise<Driver> {
  if (database.startsWith("sqlite:")) {
    return await openSqlite({ file: database.slice("sqlite:".length) });
  }
  if (/^postgres(?:ql)?:\/\//.test(database)) {
    const { openPostgres } = await import("./store/postgres.ts");
    return openPostgres(database);
  }
  throw new Unavailable(
    "The database must be given as sqlite:FILE, such as sqlite:payments.db, or as postgres://USER@HOST/NAME.",
  );
}
