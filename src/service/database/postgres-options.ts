import { randomUUID } from "node:crypto";
import { type ClientBase, type PoolConfig, types } from "pg";
import { parse, toClientConfig } from "pg-connection-string";
import { ConfigError, Unavailable } from "../../runtime/failures.ts";
import { listServerUrls } from "./postgres-url.ts";

const connections = { default: 10, max: 1_000 };
/** How long a request waits for a connection, and then for each response. */
export const connectTimeoutMs = 2_000;
const responseTimeoutMs = 3_000;
/** Less than the response timeout: the database gives up first, so that the client knows that nothing was done. */
const statementTimeoutMs = 2_500;
const keepAliveAfterMs = 10_000;

export const schemaChange = {
  /** Short, because every later query waits behind a waiting change of the schema. */
  lockTimeout: "500ms",
  maxMs: 24 * 60 * 60 * 1000,
};

/**
 * Parses a database's URL as PostgreSQL's own programs do, including several servers (`target_session_attrs`) and TLS
 * (`sslmode`, `sslrootcert`, …); `pool_max_conns` is the maximum number of connections. Returns the options of each
 * server, in their order. Files in the URL are read once, here. Errors: ConfigError, where a parameter is unknown or
 * has a wrong value; Unavailable, where a file cannot be used.
 */
export function createPoolOptions(url: string): PoolConfig[] {
  assertKnownParameters(url);
  const urls = listServerUrls(url);
  return urls.map((each) => buildServerOptions(each, connectTimeoutMs / urls.length));
}

function buildServerOptions(url: string, timeoutMs: number): PoolConfig {
  const { pool_max_conns: max, target_session_attrs: role, ...config } = parseConfig(url);
  const check = findServerCheck(role);
  return {
    application_name: "payments",
    ...config,
    max: parseMaxConnections(max),
    pipeline: true,
    connectionTimeoutMillis: timeoutMs,
    ...(check && {
      onConnect: async (client) => assertServerRole(client, check, config, timeoutMs),
    }),
    allowExitOnIdle: true, // what a service listens on keeps its process, unless it is told not to
    query_timeout: responseTimeoutMs,
    // After a lost connection the database must not go on with a query, or keep its locks.
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: responseTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
    types: { getTypeParser },
  };
}

const parameters =
  "sslmode, sslrootcert, sslcert, sslkey, pool_max_conns, target_session_attrs, application_name, options, host, port, user, password";
const sslModes = ["disable", "prefer", "require", "verify-ca", "verify-full"];

/** Refuses unknown parameters: a misspelt `sslmode` would silently turn encryption off. */
function assertKnownParameters(url: string): void {
  const given = new URLSearchParams(url.split("?", 2)[1]);
  const unknown = [...given.keys()].find((name) => !parameters.split(", ").includes(name));
  if (unknown !== undefined) {
    const named = /^[a-z_]{1,40}$/i.test(unknown) ? `: ${unknown}` : ""; // any other text may be a secret
    throw new ConfigError(
      `The database's URL has a parameter that does not exist${named}. There are ${parameters}.`,
    );
  }
  const sslmode = given.get("sslmode");
  if (sslmode === null || sslModes.includes(sslmode)) return;
  throw new ConfigError(`sslmode in the database's URL must be one of ${sslModes.join(", ")}.`);
}

type Config = PoolConfig & { pool_max_conns?: unknown; target_session_attrs?: unknown };

function parseConfig(url: string): Config {
  try {
    // Without this, pg treats `require` as `verify-full`, with a warning that this will change.
    return toClientConfig(parse(url, { useLibpqCompat: true }));
  } catch (error) {
    const reason = Error.isError(error) ? error.message : String(error);
    throw new Unavailable(`The database's URL cannot be used: ${reason}`, { cause: error });
  }
}

function parseMaxConnections(max: unknown): number {
  if (max === undefined) return connections.default;
  const count = Number(max);
  if (Number.isInteger(count) && count >= 1 && count <= connections.max) return count;
  throw new ConfigError(
    `pool_max_conns in the database's URL must be an integer from 1 to ${connections.max}.`,
  );
}

/** The query that checks a server's role, by the value of `target_session_attrs`. */
const checks = new Map<unknown, string | undefined>([
  [undefined, undefined],
  ["any", undefined],
  ["read-write", "SELECT current_setting('transaction_read_only') = 'off' AS is_right"],
  ["primary", "SELECT NOT pg_is_in_recovery() AS is_right"],
]);

function findServerCheck(role: unknown): string | undefined {
  if (checks.has(role)) return checks.get(role);
  throw new ConfigError(
    "target_session_attrs in the database's URL must be read-write, primary or any: the service writes.",
  );
}

async function assertServerRole(
  client: ClientBase,
  check: string,
  { host, port = 5432 }: PoolConfig,
  timeoutMs: number,
): Promise<void> {
  const query = { text: check, query_timeout: timeoutMs };
  const { rows } = await client.query<{ is_right: boolean }>(query);
  if (!rows[0]?.is_right) throw new ReadOnlyServer(`the server ${host}:${port} is read-only`);
}

class ReadOnlyServer extends Error {
  override name = "ReadOnlyServer";
  /** PostgreSQL's own, for a write to such a server. */
  readonly code = "25006";
}

/** pg's own parsers, except for 64-bit integers, which pg leaves as text. */
const getTypeParser = ((oid: Parameters<typeof types.getTypeParser>[0], format?: "text") =>
  oid === types.builtins.INT8
    ? parseSafeInteger
    : types.getTypeParser(oid, format)) as typeof types.getTypeParser;

function parseSafeInteger(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError(`The database holds ${text}, which is not an integer that a number can be.`);
}

/** A client with the members that pg's types leave out. */
type Connection = ClientBase & { processID: number | null; end: () => Promise<void> };
type WithConnection = <T>(work: (client: ClientBase) => Promise<T>) => Promise<T>;
type Probed = { isPooled: boolean; isSharded: boolean };

/**
 * Fails behind a pooler that does not support prepared statements, where later statements would fail. Two clients,
 * one after the other, prepare a statement of the same name and run it twice: a busy pooler sends the second run to a
 * connection that does not have the statement, an idle one gives the second client the connection of the first. They
 * run one at a time, since a pool may have one connection. Returns whether the database is Citus, which spreads
 * accounts over several servers.
 */
export async function checkServer(withConnection: WithConnection): Promise<{ isSharded: boolean }> {
  const name = `payments_check_${randomUUID()}`; // unique, because a connection may have the one of an earlier check
  const probe = async (client: ClientBase) => {
    const first = await ask(client, name);
    if (!first.isPooled) return first;
    await ask(client, name);
    void (client as Connection).end(); // so that the next client is a new one; not awaited, because a pooler that has gone down never confirms it
    return first;
  };
  const { isPooled, isSharded } = await withConnection(probe);
  if (isPooled) await withConnection(probe);
  return { isSharded };
}

/**
 * Asks for the number of the server's process: a server sends a client the number of its process, a pooler one that
 * it made up.
 */
async function ask(client: ClientBase, name: string): Promise<Probed> {
  const text =
    "SELECT pg_backend_pid() AS pid, to_regclass('pg_dist_partition') IS NOT NULL AS is_sharded";
  const { rows } = await client.query<{ pid: number; is_sharded: boolean }>({ name, text });
  const [row] = rows;
  return {
    isPooled: row?.pid !== (client as Connection).processID,
    isSharded: row?.is_sharded ?? true,
  };
}
