import { types, type PoolConfig } from "pg";

const defaultConnections = 10;
/** How long a request waits for a connection, and then for each answer. */
const connectTimeoutMs = 2_000;
const answerTimeoutMs = 3_000;
const keepAliveAfterMs = 10_000;

/**
 * How a database's URL is understood: as by PostgreSQL's own programs, TLS included (`sslmode`,
 * `sslrootcert`, …), and `pool_max_conns` says how many connections this process opens at most.
 */
export function poolOptions(url: string): PoolConfig {
  const address = new URL(url);
  const { searchParams } = address;
  const max = Number(searchParams.get("pool_max_conns") ?? defaultConnections);
  searchParams.delete("pool_max_conns");
  // Without this, pg takes `require` for `verify-full` and warns that it will not for long.
  if (searchParams.has("sslmode")) searchParams.set("uselibpqcompat", "true");
  return {
    connectionString: address.href,
    max,
    pipeline: true,
    application_name: searchParams.get("application_name") ?? "payments",
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: answerTimeoutMs,
    // A database that has not heard that its client gave up must not hold locks for it for long.
    idle_in_transaction_session_timeout: answerTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
    types: { getTypeParser },
  };
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
