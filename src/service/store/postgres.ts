import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { PoolClient } from "pg";
import { computeBackoff } from "../../runtime/backoff.ts";
import { Unavailable } from "../../runtime/failures.ts";
import { createFairSemaphore } from "../../runtime/fair-semaphore.ts";
import type { Driver, DriverObserver, Query, Row, Transaction } from "./driver.ts";
import {
  ConnectionLost,
  toUnavailable,
  isUnreachable,
  isDuplicate,
  isReadOnly,
  isUnknownOutcome,
  isTransient,
} from "./postgres-errors.ts";
import { connectTimeoutMs, schemaChange } from "./postgres-options.ts";
import { checkStatements } from "./postgres-pooler.ts";
import { gatherReads } from "./postgres-reads.ts";
import { openServers } from "./postgres-servers.ts";
import { analyzeNewTables } from "./postgres-statistics.ts";

/** How often a transaction is retried, after a pause of random length up to a limit that doubles. */
const maxRetries = 8;
const backoff = { minMs: 5, maxMs: 500, jitter: 1 };
/** After this no further attempt is begun. */
const retryTimeoutMs = 5_000;
const withoutTimeout = `SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '${schemaChange.lockTimeout}'`;
/** How many writes may wait for a connection, more than a service works on; the next one is refused at once. */
const maxWaiting = 1_200;
/** One account leaves a connection in ten to others, and as much of the queue. */
const timesFree = 9;

/**
 * The PostgreSQL driver: a pool of connections, on which each statement is prepared once. What a step
 * asks is sent together, with BEGIN before the first one and COMMIT after the last, so that most
 * transactions take one round trip; reads share theirs. Transactions rest on unique keys and
 * conditional updates, not on an isolation level; where a database finds two in conflict, one is
 * retried. So is one whose connection was lost while it was committed: it is told that it is a retry,
 * and finds what it wrote the first time.
 */
export function openPostgres(url: string, observer?: DriverObserver): Driver {
  const servers = openServers(url);
  const names = new Map<string, string>();
  const stopLooking = analyzeNewTables(servers);
  const slots = createFairSemaphore({ slots: servers.connections, maxWaiting, timesFree });

  async function sendAll(client: PoolClient, queries: (Query | string)[]): Promise<Row[][]> {
    // They are sent together, and each has its own response: one for all would be faster still, but a
    // database that only part of them has reached would wait for the rest while it holds locks.
    const { stream } = client.connection;
    stream.cork();
    const sending = queries.map(async (each) => send(client, each));
    stream.uncork();
    const results = await Promise.allSettled(sending);
    const failed = results.findIndex(({ status }) => status === "rejected");
    const first = results[failed];
    if (first?.status === "rejected") {
      const { reason } = first;
      // Without BEGIN each query after it was committed by itself. And a server that has passed a COMMIT on to a
      // machine that no longer responds does not know what has become of it.
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

  async function runWrite<T>(client: PoolClient, work: Transaction<T>): Promise<T> {
    let step = work.next();
    let isOpen = false;
    let isOver = false;
    while (!step.done) {
      const { queries, isLast } = step.value;
      const before = isOpen || isOver ? [] : ["BEGIN"];
      const rows = await sendAll(client, [...before, ...queries, ...(isLast ? ["COMMIT"] : [])]);
      isOver ||= isLast;
      isOpen = !isOver;
      step = work.next(rows.slice(before.length, before.length + queries.length));
    }
    if (isOpen) await sendAll(client, ["COMMIT"]);
    observer?.committed?.(1);
    return step.value;
  }

  /** A slot for a write; while it is held a connection is free for it, unless reads have it. */
  async function acquireSlot(accountId: string): Promise<Disposable> {
    const slot = await slots.acquire([accountId], connectTimeoutMs);
    if (slot) return slot;
    throw new Unavailable("The database refuses: too many requests wait for a connection to it.");
  }

  /** Runs work on a connection; one that has failed for good is not used again. */
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
  const reads = gatherReads(readOnce, async (work) => retryTransient(async () => readOnce(work)));

  return {
    check: async () => {
      await checkStatements(withConnection).catch((error: unknown) => {
        throw toUnavailable(error);
      });
    },
    read: reads.read,
    write: async (work, accountId = "") =>
      retryTransient(async (isRetry) => {
        using _ = await acquireSlot(accountId);
        return await withConnection(async (client) => runWrite(client, work(isRetry)));
      }),
    pool: () => {
      const use = servers.use();
      const waiting = use.waiting + reads.waitingCount() + slots.waitingCount();
      return { ...use, waiting };
    },
    close: async () => {
      stopLooking();
      await servers.end();
    },
  };
}

/** A name means one text in all processes, so that no pooler can take one statement for another. */
function nameStatement(text: string): string {
  return `payments_${createHash("sha256").update(text).digest("base64url")}`;
}

/** Retries what may succeed then; `isRetry`: an earlier attempt may have been committed. */
async function retryTransient<T>(attempt: (isRetry: boolean) => Promise<T>): Promise<T> {
  const deadlineMs = performance.now() + retryTimeoutMs;
  let isRetry = false;
  for (let retries = 0; ; retries++) {
    try {
      return await attempt(isRetry);
    } catch (error) {
      isRetry ||= error instanceof ConnectionLost;
      const isTemporary =
        isTransient(error) || (isRetry && (isDuplicate(error) || error instanceof Unavailable));
      if (!isTemporary || retries === maxRetries || performance.now() > deadlineMs) {
        throw toUnavailable(isRetry ? new ConnectionLost(error) : error);
      }
      await delay(computeBackoff(retries, backoff));
    }
  }
}
