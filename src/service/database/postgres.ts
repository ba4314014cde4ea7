import { createHash } from "node:crypto";
import { Client, type ClientConfig, Pool, type PoolClient } from "pg";
import { Unavailable } from "../../runtime/failures.ts";
import {
  type Driver,
  type DriverObserver,
  LateWrite,
  type PoolUse,
  type Query,
  type Row,
  type Transaction,
  isInTime,
} from "./driver.ts";
import {
  ConnectionLost,
  isReadOnly,
  isServerError,
  isUnknownOutcome,
  isUnreachable,
  retry,
  toUnavailable,
  unreachableError,
} from "./postgres-errors.ts";
import { checkServer, createPoolOptions, schemaChange } from "./postgres-options.ts";
import { createWriteSlots, gatherReads, gatherWrites } from "./postgres-round-trips.ts";

const withoutTimeout = `SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '${schemaChange.lockTimeout}'`;
/** The owner of the writes that are for no account. */
const ownWork = "service";

/**
 * The PostgreSQL driver: a pool of connections, on which each statement is prepared once. The queries of a step are
 * sent together, BEGIN and COMMIT included, so that most transactions take one round trip; reads share theirs.
 * Writes that may share a transaction are committed in groups. Transactions rely on unique keys and conditional
 * updates, not on an isolation level; one that conflicts with another is retried. One whose connection was lost during
 * its commit is retried with `mayBeWritten`, and finds what its first attempt wrote. `analyzes`: whether new tables are
 * analyzed, which changes the planner's statistics. With `isDerived` commits do not wait for the disk: after a crash of
 * the server the last ones may be missing, in their order.
 */
export function openPostgres(
  url: string,
  observer?: DriverObserver,
  { analyzes = true, isDerived = false } = {},
): Driver {
  const servers = openServers(url);
  const names = new Map<string, string>();
  const stopAnalyzing = analyzes ? analyzeNewTables(servers) : () => {};
  const begin = isDerived ? ["BEGIN", "SET LOCAL synchronous_commit = off"] : ["BEGIN"];
  let isSharded = true; // unless the check has found that it is not
  // With a slot a connection is free, unless reads or groups use it.
  const slots = createWriteSlots(servers.connections);

  async function sendAll(client: PoolClient, queries: (Query | string)[]): Promise<Row[][]> {
    // Sent together, but each with its own sync. A single one would be faster, but a database that has received only
    // part of them would hold locks while it waits for the rest.
    const { stream } = client.connection;
    stream.cork();
    const sending = queries.map(async (each) => send(client, each));
    stream.uncork();
    const results = await Promise.allSettled(sending);
    const failed = results.findIndex(({ status }) => status === "rejected");
    const first = results[failed];
    if (first?.status === "rejected") {
      const { reason } = first;
      // If BEGIN failed, each later query was committed by itself. If a shard was lost during COMMIT, the server does
      // not know its result.
      const isInDoubt =
        queries[failed] === "BEGIN" || (queries[failed] === "COMMIT" && isUnreachable(reason));
      throw isInDoubt ? new ConnectionLost(reason) : reason;
    }
    if (servers.isUnreplicated(client)) {
      throw new Unavailable(
        "The database has stopped waiting for its standby, which may lack what was written. Ask again; for a write with the same idempotency key.",
      );
    }
    return results.map((result) => (result.status === "fulfilled" ? result.value : []));
  }

  async function send(client: PoolClient, query: Query | string): Promise<Row[]> {
    if (typeof query === "string") return (await client.query<Row>(query)).rows;
    const { params: values, mayTakeLong, isChange, locksRows } = query;
    const text = locksRows ? `${query.sql} FOR UPDATE` : query.sql;
    if (mayTakeLong) {
      const slow = { text, values, query_timeout: schemaChange.maxMs };
      const sending = [client.query<Row>(withoutTimeout), client.query<Row>(slow)];
      return (await Promise.all(sending))[1]?.rows ?? [];
    }
    const name = names.get(text) ?? nameStatement(text);
    names.set(text, name);
    const { rows, rowCount } = await client.query<Row>({ name, text, values });
    return isChange ? [{ changed: rowCount }] : rows;
  }

  async function runRead<T>(client: PoolClient, work: Transaction<T>): Promise<T> {
    let step = work.next();
    while (!step.done) step = work.next(await sendAll(client, step.value.queries));
    return step.value;
  }

  async function runWrite<T>(client: PoolClient, work: Transaction<T>, writes = 1): Promise<T> {
    let step = work.next();
    let isOpen = false;
    let isOver = false;
    while (!step.done) {
      const { queries, isLast } = step.value;
      const before = isOpen || isOver ? [] : begin;
      const rows = await sendAll(client, [...before, ...queries, ...(isLast ? ["COMMIT"] : [])]);
      isOver ||= isLast;
      isOpen = !isOver;
      step = work.next(rows.slice(before.length, before.length + queries.length));
    }
    if (isOpen) await sendAll(client, ["COMMIT"]);
    observer?.committed?.(writes);
    return step.value;
  }

  /** Runs work on a connection; a broken connection is closed after that. */
  async function withConnection<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await servers.connect();
    let isUsable = true;
    try {
      return await work(client);
    } catch (error) {
      const works = await client.query("ROLLBACK").then(
        () => true,
        () => false,
      );
      isUsable = works && !isReadOnly(error);
      throw works && !isUnknownOutcome(error) ? error : new ConnectionLost(error);
    } finally {
      client.release(!isUsable);
    }
  }

  const readOnce: Driver["read"] = async (work) =>
    withConnection(async (client) => runRead(client, work()));
  const reads = gatherReads(readOnce, async (work) => retry(async () => readOnce(work)));
  const writes = gatherWrites({
    writeOnce: async (work, count, sinceMs) =>
      withConnection(async (client) => {
        if (!isInTime(sinceMs)) throw new LateWrite();
        return await runWrite(client, work(), count);
      }),
    isByAccount: () => isSharded,
  });

  return {
    maxRows: 64,
    check: async () => {
      try {
        ({ isSharded } = await checkServer(withConnection));
      } catch (error) {
        throw toUnavailable(error);
      }
    },
    read: reads.read,
    write: async (work, accountId = ownWork, shared) => {
      if (shared) return await writes.write(accountId, shared);
      const sinceMs = performance.now();
      return await retry(async (mayBeWritten) => {
        using _ = await slots.acquire(accountId);
        return await withConnection(async (client) => {
          if (!isInTime(sinceMs)) throw new LateWrite();
          return await runWrite(client, work(mayBeWritten));
        });
      });
    },
    pool: () => {
      const use = servers.use();
      const counts = [reads, writes, slots].map((each) => each.waitingCount());
      return { ...use, waiting: counts.reduce((sum, count) => sum + count, use.waiting) };
    },
    close: async () => {
      stopAnalyzing();
      await servers.end();
    },
  };
}

/** One name for one text in all processes, so that no pooler can confuse two statements. */
function nameStatement(text: string): string {
  return `payments_${createHash("sha256").update(text).digest("base64url")}`;
}

type Servers = {
  /** Error: Unavailable. */
  connect: () => Promise<PoolClient>;
  /** Whether the last commit was not replicated to a standby; true once for each such commit. */
  isUnreplicated: (client: PoolClient) => boolean;
  firstConnected: Promise<void>;
  /** The maximum number of connections to the server in use. */
  connections: number;
  use: () => PoolUse;
  end: () => Promise<void>;
};

/**
 * Opens the servers of a URL, each with a pool of connections. The server of the last connection is tried first, and
 * then the others in turn.
 */
function openServers(url: string): Servers {
  const pools = createPoolOptions(url).map(
    (options) => new Pool({ ...options, Client: SelfClosingClient }),
  );
  const open = new Set<PoolClient>();
  const unreplicated = new WeakSet<PoolClient>();
  const { promise: firstConnected, resolve } = Promise.withResolvers<void>();
  for (const pool of pools) {
    // The pool replaces an idle connection that is lost; one that is lost in use rejects its queries.
    pool.on("error", () => {});
    pool.on("connect", (client) => {
      client.on("error", () => {});
      open.add(client);
      client.once("end", () => open.delete(client));
      // A commit whose wait for a standby an administrator canceled is acknowledged like any other, with this notice.
      client.on("notice", ({ routine }) => {
        if (routine === "SyncRepWaitForLSN") unreplicated.add(client);
      });
      resolve();
    });
  }
  let current: Pool | undefined;

  return {
    connect: async () => {
      const failures: unknown[] = [];
      for (const pool of new Set(current ? [current, ...pools] : pools)) {
        try {
          const client = await pool.connect();
          current = pool;
          return client;
        } catch (error) {
          failures.push(error);
        }
      }
      throw unreachableError(failures);
    },
    isUnreplicated: (client) => unreplicated.delete(client),
    firstConnected,
    connections: pools[0]?.options.max ?? 1,
    use: () => ({
      total: sumUp(pools.map(({ totalCount }) => totalCount)),
      idle: sumUp(pools.map(({ idleCount }) => idleCount)),
      waiting: sumUp(pools.map(({ waitingCount }) => waitingCount)),
    }),
    end: async () => {
      await Promise.all(pools.map(async (pool) => pool.ended || pool.end()));
      // A database that has gone down never confirms that the connections are closed, so the process does not wait
      // for it.
      for (const client of open) (client as PoolClient & { unref: () => void }).unref();
    },
  };
}

/**
 * Closes a connection after an error. pg leaves one open that failed to authenticate, which would keep the process
 * running until the server closes it, after a minute.
 */
class SelfClosingClient extends Client {
  constructor(config?: ClientConfig) {
    super(config);
    this.connection.on("error", () => this.connection.stream.destroy());
  }
}

function sumUp(counts: number[]): number {
  return counts.reduce((all, count) => all + count, 0);
}

const tables = [
  "payments",
  "idempotency_records",
  "charges",
  "events",
  "deliveries",
  "activity",
  "search_blocks",
  "requests",
];
const minPauseMs = 1_000;
const maxPauseMs = 60_000;
const maxAttempts = 5;
const minBytes = 64 * 1024;
const undefinedTable = "42P01";

/**
 * Runs ANALYZE as soon as a new table has rows. PostgreSQL does so by itself only after about a minute; until then
 * all indexes look alike to its planner, and it may read all payments of an account to find one. Returns a function
 * that stops the waiting. A table that was never analyzed has -1 rows, and before PostgreSQL 14 none. A related
 * database without such statistics is left alone.
 */
function analyzeNewTables(servers: Servers): () => void {
  let timer: NodeJS.Timeout | undefined;
  let pauseMs = minPauseMs;
  let hasEnded = false;
  /**
   * How often each table was analyzed that had no rows afterwards: they belonged to a transaction that had not
   * committed, or were deleted ones, which a few attempts tell apart.
   */
  const pending = new Map(tables.map((name) => [name, 0]));

  async function analyzeFilled(): Promise<void> {
    const client = await servers.connect();
    let isUsable = false;
    try {
      const { rows } = await client.query<{ name: string; is_filled: boolean }>(
        `SELECT relname AS name, pg_relation_size(oid) > ${minBytes} AS is_filled FROM pg_class
         WHERE oid = ANY ($1::text[]::regclass[]) AND reltuples <= 0`,
        [[...pending.keys()]],
      );
      for (const { name, is_filled } of rows) {
        if (!is_filled) continue;
        await client.query(`ANALYZE ${name}`);
        const attempts = (pending.get(name) ?? 0) + 1;
        if (attempts < maxAttempts) pending.set(name, attempts);
        else pending.delete(name);
      }
      if (rows.some(({ name }) => pending.has(name))) schedule();
      isUsable = true;
    } finally {
      client.release(!isUsable);
    }
  }
  function schedule(): void {
    if (hasEnded) return;
    timer = setTimeout(() => void analyzeFilled().catch(scheduleRetry), pauseMs).unref();
    pauseMs = Math.min(2 * pauseMs, maxPauseMs);
  }
  /** The schema or the database may not exist yet. Any other error is of a database without such statistics. */
  function scheduleRetry(error: unknown): void {
    if (!isServerError(error) || error.code === undefinedTable) schedule();
  }

  void servers.firstConnected.then(schedule);
  return () => {
    hasEnded = true;
    clearTimeout(timer);
  };
}
