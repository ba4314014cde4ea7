import { ConfigError } from "../../runtime/failures.ts";
import type { Driver, DriverObserver } from "./driver.ts";
import { readSchema } from "./migrate.ts";
import { parsePostgresUrl } from "./postgres-url.ts";

/** The address of a database: a file, or the URL of a PostgreSQL. */
export type DatabaseAddress = { file: string } | { url: string };

/**
 * Parses `sqlite:FILE` or a `postgres://` URL. ConfigError where it is neither; the text may hold a password, and is
 * not repeated.
 */
export function parseDatabase(database: string): DatabaseAddress {
  const file = findSqliteFile(database);
  if (file !== undefined) return { file };
  if (parsePostgresUrl(database)) return { url: database };
  throw new ConfigError(
    "The database is not one that this version can use.",
    /^postgres/i.test(database)
      ? "Write postgres://USER:PASSWORD@HOST:PORT/NAME (several servers as HOST:PORT,HOST:PORT), or postgres:///NAME?host=FOLDER&user=USER for a socket. In a password %, /, ?, # and @ are written %25, %2F, %3F, %23 and %40."
      : "Give it as sqlite:FILE, such as sqlite:payments.db, or as postgres://USER:PASSWORD@HOST/NAME.",
  );
}

/** The driver of a database; only that one is loaded. Unavailable where the database has a schema that this program cannot use. */
export async function openDriver(database: string, observer?: DriverObserver): Promise<Driver> {
  const address = parseDatabase(database);
  if ("file" in address) {
    const { openSqlite } = await import("./sqlite.ts");
    // Opening a file to write changes it, and one that cannot be used is to stay as it is.
    const reader = await openReader(database);
    await readSchema(reader);
    return await openSqlite({ file: address.file, ...(observer && { observer }) });
  }
  const { openPostgres } = await import("./postgres.ts");
  const driver = openPostgres(address.url, observer);
  await driver.check?.().catch(async (error: unknown) => {
    await driver.close();
    throw error;
  });
  return driver;
}

/** Reads a database without leaving a trace: a SQLite file that is not there is empty, and is not made. */
export async function openReader(database: string): Promise<Pick<Driver, "read" | "close">> {
  const address = parseDatabase(database);
  if ("url" in address) return await openDriver(database);
  const { openSqliteReader } = await import("./sqlite-reader.ts");
  return openSqliteReader(address.file);
}

/**
 * The driver of a database that is there: of a SQLite file it only reads, and leaves no trace, until
 * something is written. One that is not there is empty, and is not made by reading.
 */
export async function openExisting(database: string): Promise<Driver> {
  const address = parseDatabase(database);
  if ("url" in address) return await openDriver(database);
  const { openSqliteToRead } = await import("./sqlite-reader.ts");
  return openSqliteToRead(address.file);
}

/** The hint where there is no database yet. */
export const beginnersHint =
  "payments migrate, payments serve and payments accounts create begin a new one.";

/** Names a database in output, errors and logs: never with a user, a password or parameters. */
export function describeDatabase(database: string): string {
  if (findSqliteFile(database) !== undefined) return database;
  const address = parsePostgresUrl(database);
  if (!address) return "the database"; // the text may hold a password anywhere
  const { servers, database: name } = address;
  const [first] = servers;
  if (first?.host.startsWith("/")) return `postgres:///${name}?host=${first.host}`;
  return `postgres://${servers.map(({ host, port }) => host + (port && `:${port}`)).join()}/${name}`;
}

/** The file in `sqlite:FILE`; undefined where it is another kind of database. */
function findSqliteFile(database: string): string | undefined {
  return /^sqlite:(.+)$/s.exec(database)?.[1];
}
