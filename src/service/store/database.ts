import { Misuse } from "../../contract/failures.ts";
import type { Driver, DriverObserver } from "./driver.ts";

/** Where a database is: a file, or a PostgreSQL by its URL. */
export type Place = { file: string } | { url: string };

/**
 * Where `sqlite:FILE` or a `postgres://` URL leads. Misuse where it is neither; what was typed may hold
 * a password, and is not repeated.
 */
export function placeOf(database: string): Place {
  const file = sqliteFile(database);
  if (file !== undefined) return { file };
  if (postgresAddress(database)) return { url: database };
  throw new Misuse(
    "The database is not one that this version can use.",
    /^postgres/i.test(database)
      ? "Write postgres://USER:PASSWORD@HOST:PORT/NAME, or postgres:///NAME?host=FOLDER&user=USER for a socket. In a password %, /, ?, # and @ are written %25, %2F, %3F, %23 and %40."
      : "Give it as sqlite:FILE, such as sqlite:payments.db, or as postgres://USER:PASSWORD@HOST/NAME.",
  );
}

/** The driver of a database; only that one is loaded. */
export async function openDriver(database: string, observer?: DriverObserver): Promise<Driver> {
  const place = placeOf(database);
  if ("file" in place) {
    const { openSqlite } = await import("./sqlite.ts");
    return await openSqlite({ file: place.file, ...(observer && { observer }) });
  }
  const { openPostgres } = await import("./postgres.ts");
  const driver = openPostgres(place.url, observer);
  await driver.check?.().catch(async (error: unknown) => {
    await driver.close();
    throw error;
  });
  return driver;
}

/** How a database is named in output, errors and logs: never with a user, a password or parameters. */
export function databaseName(database: string): string {
  if (sqliteFile(database) !== undefined) return database;
  const address = postgresAddress(database);
  if (!address) return "the database"; // whatever this is may hold a password anywhere
  const { host, port, database: name } = address;
  if (host.startsWith("/")) return `postgres:///${name}?host=${host}`;
  return `postgres://${host}${port && `:${port}`}/${name}`;
}

/** The file in `sqlite:FILE`; undefined where it is another kind of database. */
function sqliteFile(database: string): string | undefined {
  return /^sqlite:(.+)$/s.exec(database)?.[1];
}

/** Where a PostgreSQL database is: all of its URL that may be repeated. */
type PostgresAddress = { host: string; port: string; database: string };

/**
 * The host, or the folder of the socket, and the name in a `postgres://` URL; undefined where one is
 * missing. A password with an unescaped `/`, `?` or `#` moves into the parts after it, so that a URL
 * with an `@` there is refused rather than repeated in part.
 */
export function postgresAddress(database: string): PostgresAddress | undefined {
  const [, authority = "", path = "", search = ""] =
    /^postgres(?:ql)?:\/\/([^/?#\s]*)\/([^/?#@\s]+)(?:\?([^#@\s]*))?$/.exec(database) ?? [];
  const [, host = "", port = ""] =
    /^(?:.*@)?((?:\[[0-9a-f:.]+\]|[\w.%-]+)?)(?::(\d{1,5}))?$/i.exec(authority) ?? [];
  const name = decoded(path);
  const place = new URLSearchParams(search).get("host") ?? decoded(host);
  const isWhole = decoded(authority) !== undefined && URL.canParse(database);
  if (!name || !place || !isWhole) return undefined;
  return { host: place, port, database: name };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
