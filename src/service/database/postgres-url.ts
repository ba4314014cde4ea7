import { expandHome } from "../../runtime/user-files.ts";

/** The parts of a PostgreSQL URL that may be shown: no user, password or parameters. */
export type PostgresAddress = { servers: PostgresServer[]; database: string };

/** A host, or the folder of a socket. */
type PostgresServer = { host: string; port: string };

/**
 * The servers and the database in a `postgres://` URL; undefined where one is missing. An unescaped `/`, `?` or `#`
 * in a password shifts it into later parts, so a URL with an `@` there is refused, or a part of the password would be
 * shown.
 */
export function parsePostgresUrl(url: string): PostgresAddress | undefined {
  const [, authority = "", path = "", search = ""] =
    /^postgres(?:ql)?:\/\/([^/?#\s]*)\/([^/?#@\s]+)(?:\?([^#@\s]*))?$/.exec(url) ?? [];
  const folder = new URLSearchParams(expandPaths(`?${search}`)).get("host");
  const servers = split(url).servers.map((server) => {
    const [, host = "", port = ""] =
      /^((?:\[[0-9a-f:.]+\]|[\w.%-]+)?)(?::(\d{1,5}))?$/i.exec(server) ?? [];
    return { host: folder ?? decodeOrUndefined(host) ?? "", port };
  });
  const database = decodeOrUndefined(path);
  const isWhole =
    decodeOrUndefined(authority) !== undefined &&
    listServerUrls(url).every((each) => URL.canParse(each)) &&
    servers.every(({ host }) => host !== "") &&
    (folder === null || servers.length === 1);
  return database && isWhole ? { servers, database } : undefined;
}

/** The URL of each server; several are written as for PostgreSQL's own programs: `one:5432,two:5433`. */
export function listServerUrls(url: string): string[] {
  const { before, servers, after } = split(url);
  return servers.map((server) => before + server + after);
}

/** The parameters of a URL that are paths. */
const pathParameter = /([?&](?:host|sslrootcert|sslcert|sslkey)=)([^&]*)/g;

/** Expands `~/` in the paths of a URL, which no shell has seen; the rest stays as it is. */
export function expandPaths(url: string): string {
  return url.replaceAll(pathParameter, (whole, name: string, value: string) => {
    const path = decodeOrUndefined(value);
    return path?.startsWith("~") ? name + encodeURIComponent(expandHome(path)) : whole;
  });
}

function split(url: string): { before: string; servers: string[]; after: string } {
  const [, before = "", servers = "", after = ""] =
    /^([^/]*\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? [];
  return { before, servers: servers.split(","), after };
}

function decodeOrUndefined(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
