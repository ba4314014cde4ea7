import { types, type PoolConfig } from "pg";
import { parse, toClientConfig } from "pg-connection-string";
import { Unavailable } from "../../contract/failures.ts";

const connections = { usual: 10, most: 1_000 };
/** How long a request waits for a connection, and then for each answer. */
const connectTimeoutMs = 2_000;
const answerTimeoutMs = 3_000;
/** The database gives up before its client does, who then knows that nothing was done. */
const statementTimeoutMs = 2_500;
const keepAliveAfterMs = 10_000;

/** A change of the schema takes what time it needs, and is bounded all the same. */
export const schemaChange = {
  /** It waits for a lock no longer than this: whoever comes after it waits behind it. */
  lockTimeout: "500ms",
  /** An index that is made beside others keeps nobody waiting, and may wait for what began before it. */
  indexTimeout: "120s",
  longestMs: 24 * 60 * 60 * 1000,
};

/**
 * How a database's URL is understood: as by PostgreSQL's own programs, TLS included (`sslmode`,
 * `sslrootcert`, …), and `pool_max_conns` says how many connections this process opens at most. The
 * files that it names are read here, once. Error: Unavailable.
 */
export function poolOptions(url: string): PoolConfig {
  const { pool_max_conns: max, ...config } = configOf(url);
  return {
    application_name: "payments",
    ...config,
    max: connectionsOf(max),
    pipeline: true,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: answerTimeoutMs,
    // A database that has not heard that its client gave up must not go on, or hold locks for it.
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: answerTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
    types: { getTypeParser },
  };
}

function configOf(url: string): PoolConfig & { pool_max_conns?: unknown } {
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
  throw new Unavailable(
    `pool_max_conns in the database's URL must be an integer from 1 to ${connections.most}.`,
  );
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
