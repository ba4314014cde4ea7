import { types, type ClientBase, type PoolConfig } from "pg";
import { parse, toClientConfig } from "pg-connection-string";
import { ConfigError, Unavailable } from "../../runtime/failures.ts";
import { listServerUrls } from "./postgres-url.ts";

const connections = { usual: 10, most: 1_000 };
/** How long a request waits for a connection, and then for each response. */
export const connectTimeoutMs = 2_000;
const answerTimeoutMs = 3_000;
/** The database gives up before its client does, who then knows that nothing was done. */
const statementTimeoutMs = 2_500;
const keepAliveAfterMs = 10_000;

/** A change of the schema takes what time it needs, and is bounded all the same. */
export const schemaChange = {
  /** It waits for a lock no longer than this: whoever comes after it waits behind it. */
  lockTimeout: "500ms",
  longestMs: 24 * 60 * 60 * 1000,
};

/**
 * How a database's URL is understood: as by PostgreSQL's own programs, several servers
 * (`target_session_attrs`) and TLS (`sslmode`, `sslrootcert`, …) included, and `pool_max_conns` says how
 * many connections this process opens at most. Gives the options of each server, in their order. The
 * files that it names are read here, once. Errors: ConfigError, where a parameter is none, or has a wrong value;
 * Unavailable, where a file cannot be used.
 */
export function createPoolOptions(url: string): PoolConfig[] {
  requireKnown(url);
  const urls = listServerUrls(url);
  return urls.map((each) => serverOptions(each, connectTimeoutMs / urls.length));
}

function serverOptions(url: string, timeoutMs: number): PoolConfig {
  const { pool_max_conns: max, target_session_attrs: wanted, ...config } = configOf(url);
  const check = checkOf(wanted);
  return {
    application_name: "payments",
    ...config,
    max: connectionsOf(max),
    pipeline: true,
    connectionTimeoutMillis: timeoutMs,
    ...(check && { onConnect: async (client) => requireWanted(client, check, config, timeoutMs) }),
    query_timeout: answerTimeoutMs,
    // A database that has not heard that its client gave up must not go on, or hold locks for it.
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: answerTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
    types: { getTypeParser },
  };
}

const parameters =
  "sslmode, sslrootcert, sslcert, sslkey, pool_max_conns, target_session_attrs, application_name, options, host, port, user, password";
const sslModes = ["disable", "prefer", "require", "verify-ca", "verify-full"];

/** Refuses what would mean nothing: with a misspelt `sslmode` nothing would be encrypted, and nobody told. */
function requireKnown(url: string): void {
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

function configOf(url: string): Config {
  try {
    // Without this, `require` is taken for `verify-full`, with a warning that it will not be for long.
    return toClientConfig(parse(url, { useLibpqCompat: true }));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Unavailable(`The database's URL cannot be used: ${reason}`, { cause: error });
  }
}

function connectionsOf(max: unknown): number {
  if (max === undefined) return connections.usual;
  const count = Number(max);
  if (Number.isInteger(count) && count >= 1 && count <= connections.most) return count;
  throw new ConfigError(
    `pool_max_conns in the database's URL must be an integer from 1 to ${connections.most}.`,
  );
}

/** What asks a server whether it is the one that `target_session_attrs` wants. */
const checks = new Map<unknown, string | undefined>([
  [undefined, undefined],
  ["any", undefined],
  ["read-write", "SELECT current_setting('transaction_read_only') = 'off' AS is_wanted"],
  ["primary", "SELECT NOT pg_is_in_recovery() AS is_wanted"],
]);

function checkOf(wanted: unknown): string | undefined {
  if (checks.has(wanted)) return checks.get(wanted);
  throw new ConfigError(
    "target_session_attrs in the database's URL must be read-write, primary or any: the service writes.",
  );
}

async function requireWanted(
  client: ClientBase,
  check: string,
  { host, port = 5432 }: PoolConfig,
  timeoutMs: number,
): Promise<void> {
  const question = { text: check, query_timeout: timeoutMs };
  const { rows } = await client.query<{ is_wanted: boolean }>(question);
  if (!rows[0]?.is_wanted) throw new Error(`the server ${host}:${port} is read-only`);
}

/** Rows are read as pg reads them, but for its 64-bit integers, which it leaves as text. */
const getTypeParser = ((oid: Parameters<typeof types.getTypeParser>[0], format?: "text") =>
  oid === types.builtins.INT8
    ? exactInteger
    : types.getTypeParser(oid, format)) as typeof types.getTypeParser;

function exactInteger(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError(`The database holds ${text}, which is not an integer that a number can be.`);
}
