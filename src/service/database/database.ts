import { ConfigError, Unavailable } from "../../runtime/failures.ts";
import { expandHome } from "../../runtime/user-files.ts";
import type { Driver, DriverObserver } from "./driver.ts";
import { readSchema } from "./migrate.ts";
import { expandPaths, parsePostgresUrl } from "./postgres-url.ts";

/** The address of a database: a file, or the URL of a PostgreSQL. */
export type DatabaseAddress = { file: string } | { url: string };

/**
 * Parses `sqlite:FILE` or a `postgres://` URL. ConfigError where it is neither; the text may hold a password, and is
 * not repeated.
 */
export function parseDatabase(database: string): DatabaseAddress {
  const file = findSqliteFile(database);
  if (file !== undefined) return { file: expandHome(file) };
  if (parsePostgresUrl(database)) return { url: expandPaths(database) };
  throw new ConfigError(
    "The database is not one that this version can use. Check --database or PAYMENTS_DATABASE.",
    /^postgres/i.test(database)
      ? "Write postgres://USER:PASSWORD@HOST:PORT/NAME (several servers as HOST:PORT,HOST:PORT), or postgres:///NAME?host=FOLDER&user=USER for a socket. In a password %, /, ?, # and @ are written %25, %2F, %3F, %23 and %40."
      : "Give it as sqlite:FILE, such as sqlite:payments.db, or as postgres://USER:PASSWORD@HOST/NAME.",
  );
}

/** `isDerived`: what is written follows from other rows, so that its commits need not wait for the disk. */
type DriverOptions = { observer?: DriverObserver | undefined; isDerived?: boolean };

/** Opens a database; only its driver is loaded. Unavailable where its schema is one that this program cannot use. */
export async function openDriver(
  database: string,
  { observer, isDerived = false }: DriverOptions = {},
): Promise<Driver> {
  const address = parseDatabase(database);
  if ("file" in address) {
    const { openSqlite } = await import("./sqlite.ts");
    // Checked first by a reader, since opening a file for writing changes it.
    const reader = await openReader(database);
    await readSchema(reader);
    return await openSqlite({ file: address.file, observer, isDerived });
  }
  const { openPostgres } = await import("./postgres.ts");
  const driver = openPostgres(address.url, observer, { isDerived });
  await driver.check?.().catch(async (error: unknown) => {
    await driver.close();
    throw error;
  });
  return driver;
}

/** Opens a database to read it without leaving a trace. A missing SQLite file counts as empty, and is not created. */
export async function openReader(database: string): Promise<Pick<Driver, "read" | "close">> {
  const address = parseDatabase(database);
  if ("url" in address) return await openDriver(database);
  const { openSqliteReader } = await import("./sqlite-reader.ts");
  return openSqliteReader(address.file);
}

/**
 * Opens a database; a SQLite file is read without leaving a trace until the first write. A missing one counts as
 * empty, and reading does not create it.
 */
export async function openExisting(database: string): Promise<Driver> {
  const address = parseDatabase(database);
  if ("url" in address) return await openDriver(database);
  const { openSqliteToRead } = await import("./sqlite-reader.ts");
  return openSqliteToRead(address.file);
}

/** The error where there is no database yet, of a command that begins none. */
export function noDatabaseError(database: string): Unavailable {
  return new Unavailable(
    `There is no database of payments at ${describeDatabase(database)}. None was made.`,
    {
      hint: "Name the service's database with --database or PAYMENTS_DATABASE; payments migrate, payments serve and payments accounts create begin a new one.",
    },
  );
}

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
