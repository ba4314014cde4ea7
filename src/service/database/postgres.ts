import { createHash } from "node:crypto";
import type { PoolClient } from "pg";
import { Unavailable } from "../../runtime/failures.ts";
import {
  isInTime,
  LateWrite,
  type Driver,
  type DriverObserver,
  type Query,
  type Row,
  type Transaction,
} from "./driver.ts";
import {
  ConnectionLost,
  toUnavailable,
  isUnreachable,
  isReadOnly,
  isUnknownOutcome,
} from "./postgres-errors.ts";
import { schemaChange } from "./postgres-options.ts";
import { checkServer } from "./postgres-pooler.ts";
import { gatherReads } from "./postgres-reads.ts";
import { retry } from "./postgres-retries.ts";
import { openServers } from "./postgres-servers.ts";
import { analyzeNewTables } from "./postgres-statistics.ts";
import { createWriteSlots, gatherWrites } from "./postgres-writes.ts";

const withoutTimeout = `SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '${schemaChange.lockTimeout}'`;
/** The owner of the writes that are for no account. */
const ownWork = "service";

/**
 * The PostgreSQL driver: a pool of connections, on which each statement is prepared once. The queries of a step are
 * sent together, BEGIN and COMMIT included, so that most transactions take one round trip; reads share theirs.
 * Writes that may share a transaction are committed in groups. Transactions rely on unique keys and conditional
 * updates, not on an isolation level; one that conflicts with another is retried. One whose connection was lost during
 * its commit is retried with `isRetry`, and finds what its first attempt wrote. `analyzes`: whether new tables are
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
    const { sql: text, params: values, mayTakeLong, isChange } = query;
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
    write: async (work, accountId = ownWork, sharing) => {
      if (sharing) return await writes.write(work, accountId, sharing);
      const sinceMs = performance.now();
      return await retry(async (isRetry) => {
        using _ = await slots.acquire(accountId);
        return await withConnection(async (client) => {
          if (!isInTime(sinceMs)) throw new LateWrite();
          return await runWrite(client, work(isRetry));
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
