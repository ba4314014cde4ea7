/** Where a PostgreSQL database is: all of its URL that may be repeated. */
export type PostgresAddress = { servers: PostgresServer[]; database: string };

/** A host, or the folder of a socket. */
type PostgresServer = { host: string; port: string };

/**
 * The servers and the name in a `postgres://` URL; undefined where one is missing. A password with an
 * unescaped `/`, `?` or `#` moves into the parts after it, so that a URL with an `@` there is refused
 * rather than repeated in part.
 */
export function parsePostgresUrl(url: string): PostgresAddress | undefined {
  const [, authority = "", path = "", search = ""] =
    /^postgres(?:ql)?:\/\/([^/?#\s]*)\/([^/?#@\s]+)(?:\?([^#@\s]*))?$/.exec(url) ?? [];
  const folder = new URLSearchParams(search).get("host");
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

/** The URL of each server, where several are named as PostgreSQL's own programs have it: `one:5432,two:5433`. */
export function listServerUrls(url: string): string[] {
  const { before, servers, after } = split(url);
  return servers.map((server) => before + server + after);
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
