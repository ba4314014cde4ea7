import { types, type ClientBase, type PoolConfig } from "pg";
import { parse, toClientConfig } from "pg-connection-string";
import { ConfigError, Unavailable } from "../../runtime/failures.ts";
import { listServerUrls } from "./postgres-url.ts";

const connections = { default: 10, max: 1_000 };
/** How long a request waits for a connection, and then for each response. */
export const connectTimeoutMs = 2_000;
const responseTimeoutMs = 3_000;
/** The database gives up before its client does, who then knows that nothing was done. */
const statementTimeoutMs = 2_500;
const keepAliveAfterMs = 10_000;

/** A change of the schema may take long, and is bounded all the same. */
export const schemaChange = {
  /** It waits for a lock no longer than this: all that comes after it waits behind it. */
  lockTimeout: "500ms",
  maxMs: 24 * 60 * 60 * 1000,
};

/**
 * How a database's URL is understood: as by PostgreSQL's own programs, several servers
 * (`target_session_attrs`) and TLS (`sslmode`, `sslrootcert`, …) included, and `pool_max_conns` says how
 * many connections this process opens at most. Gives the options of each server, in their order. The
 * files that it names are read here, once. Errors: ConfigError, where a parameter is none, or has a wrong value;
 * Unavailable, where a file cannot be used.
 */
export function createPoolOptions(url: string): PoolConfig[] {
  assertKnownParameters(url);
  const urls = listServerUrls(url);
  return urls.map((each) => serverOptions(each, connectTimeoutMs / urls.length));
}

function serverOptions(url: string, timeoutMs: number): PoolConfig {
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
    query_timeout: responseTimeoutMs,
    // A database that does not know that its client has given up must not go on, or hold locks for it.
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

/** Refuses unknown parameters: with a misspelt `sslmode` nothing would be encrypted, without a word. */
function assertKnownParameters(url: string): void {
  const given = new URLSearchParams(url.split("?", 2)[1]);
  const unknown = [...given.keys()].find((name) => !parameters.split(", ").includes(name));
  if (unknown !== undefined) {
    const named = /^[a-z_]{1,40}$/i.test(unknown) ? `: ${unknown}` : ""; // else it may be a secret
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
    // Without this, `require` is taken for `verify-full`, with a warning that it will not be for long.
    return toClientConfig(parse(url, { useLibpqCompat: true }));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
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

/** The query by which a server says whether it has the role that `target_session_attrs` names. */
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
  const question = { text: check, query_timeout: timeoutMs };
  const { rows } = await client.query<{ is_right: boolean }>(question);
  if (!rows[0]?.is_right) throw new Error(`the server ${host}:${port} is read-only`);
}

/** Rows are read as pg reads them, but for its 64-bit integers, which it leaves as text. */
const getTypeParser = ((oid: Parameters<typeof types.getTypeParser>[0], format?: "text") =>
  oid === types.builtins.INT8
    ? parseSafeInteger
    : types.getTypeParser(oid, format)) as typeof types.getTypeParser;

function parseSafeInteger(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError(`The database holds ${text}, which is not an integer that a number can be.`);
}
