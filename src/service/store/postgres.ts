import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { PoolClient } from "pg";
import { Unavailable } from "../../runtime/failures.ts";
import { fairSemaphore } from "../../runtime/fair-semaphore.ts";
import type { Driver, DriverObserver, Query, Row, Transaction } from "./driver.ts";
import {
  ConnectionLost,
  explained,
  isUnreachable,
  isDuplicate,
  isReadOnly,
  isUnknown,
  isTransient,
} from "./postgres-errors.ts";
import { connectTimeoutMs, schemaChange } from "./postgres-options.ts";
import { checkStatements } from "./postgres-pooler.ts";
import { gatherReads } from "./postgres-reads.ts";
import { openServers } from "./postgres-servers.ts";
import { analyzeNewTables } from "./postgres-statistics.ts";

/** How often a transaction is tried again, after a pause of random length up to a limit that doubles. */
const maxRetries = 8;
const pauseMs = { shortest: 10, longest: 1_000 };
/** After this no further try is begun. */
const patienceMs = 5_000;
const patiently = `SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '${schemaChange.lockTimeout}'`;
/** How many writes may wait for a connection, more than a service works on; the next one is refused at once. */
const maxWaiting = 1_200;
/** One account leaves a connection in ten to others, and as much of the line. */
const timesFree = 9;

/**
 * The PostgreSQL driver: a pool of connections, on which each statement is prepared once. What a step
 * asks is sent together, with BEGIN before the first one and COMMIT after the last, so that most
 * transactions take one round trip; reads share theirs. Transactions rest on unique keys and
 * conditional updates, not on an isolation level; a database that finds them in conflict has them
 * done again. So is one whose connection was lost while it was committed: it is told so, and finds
 * what it wrote the first time.
 */
export function openPostgres(url: string, observer?: DriverObserver): Driver {
  const servers = openServers(url);
  const names = new Map<string, string>();
  const stopLooking = analyzeNewTables(servers);
  const slots = fairSemaphore({ slots: servers.connections, maxWaiting, timesFree });

  async function ask(client: PoolClient, queries: (Query | string)[]): Promise<Row[][]> {
    // They leave together, and each is answered: one answer for all would be faster still, but a
    // database that only part of them has reached would wait for the rest with its locks held.
    const { stream } = client.connection;
    stream.cork();
    const asked = queries.map(async (each) => answerTo(client, each));
    stream.uncork();
    const answers = await Promise.allSettled(asked);
    const failed = answers.findIndex(({ status }) => status === "rejected");
    const first = answers[failed];
    if (first?.status === "rejected") {
      const { reason } = first;
      // Without BEGIN what comes after it was each committed by itself. And who has sent a COMMIT on, to a
      // machine that no longer answers, cannot tell what has become of it.
      const isInDoubt =
        queries[failed] === "BEGIN" || (queries[failed] === "COMMIT" && isUnreachable(reason));
      throw isInDoubt ? new ConnectionLost(reason) : reason;
    }
    if (servers.isUnreplicated(client)) {
      throw new Unavailable(
        "The database has stopped waiting for its standby, which may lack what was written. Ask again; for a write with the same idempotency key.",
      );
    }
    return answers.map((response) => (response.status === "fulfilled" ? response.value : []));
  }

  async function answerTo(client: PoolClient, query: Query | string): Promise<Row[]> {
    if (typeof query === "string") return (await client.query<Row>(query)).rows;
    const { sql: text, params: values, mayTakeLong, isChange } = query;
    if (mayTakeLong) {
      const patient = { text, values, query_timeout: schemaChange.longestMs };
      const asked = [client.query<Row>(patiently), client.query<Row>(patient)];
      return (await Promise.all(asked))[1]?.rows ?? [];
    }
    const name = names.get(text) ?? nameOf(text);
    names.set(text, name);
    const { rows, rowCount } = await client.query<Row>({ name, text, values });
    return isChange ? [{ changed: rowCount }] : rows;
  }

  async function runRead<T>(client: PoolClient, work: Transaction<T>): Promise<T> {
    let step = work.next();
    while (!step.done) step = work.next(await ask(client, step.value.queries));
    return step.value;
  }

  async function runWrite<T>(client: PoolClient, work: Transaction<T>): Promise<T> {
    let step = work.next();
    let isOpen = false;
    let isOver = false;
    while (!step.done) {
      const { queries, isLast } = step.value;
      const before = isOpen || isOver ? [] : ["BEGIN"];
      const rows = await ask(client, [...before, ...queries, ...(isLast ? ["COMMIT"] : [])]);
      isOver ||= isLast;
      isOpen = !isOver;
      step = work.next(rows.slice(before.length, before.length + queries.length));
    }
    if (isOpen) await ask(client, ["COMMIT"]);
    observer?.committed?.(1);
    return step.value;
  }

  /** A place of those who write; a connection is free then, but for those who read. */
  async function slotOf(accountId: string): Promise<Disposable> {
    const slot = await slots.acquire([accountId], connectTimeoutMs);
    if (slot) return slot;
    throw new Unavailable("The database refuses: too many requests wait for a connection to it.");
  }

  /** Works on a connection; one that has failed for good is not used again. */
  async function withConnection<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await servers.connect();
    let isOfUse = true;
    try {
      return await work(client);
    } catch (error) {
      const works = await client.query("ROLLBACK").then(
        () => true,
        () => false,
      );
      isOfUse = works && !isReadOnly(error);
      throw works && !isUnknown(error) ? error : new ConnectionLost(error);
    } finally {
      client.release(!isOfUse);
    }
  }

  const readOnce: Driver["read"] = async (work) =>
    withConnection(async (client) => runRead(client, work()));
  const reads = gatherReads(readOnce, async (work) => persistently(async () => readOnce(work)));

  return {
    check: async () => {
      await checkStatements(withConnection).catch((error: unknown) => {
        throw explained(error);
      });
    },
    read: reads.read,
    write: async (work, accountId = "") =>
      persistently(async (isRetry) => {
        using _ = await slotOf(accountId);
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
function nameOf(text: string): string {
  return `payments_${createHash("sha256").update(text).digest("base64url")}`;
}

/** Tries again what may succeed then; `isRetry`: an earlier try may have been committed. */
async function persistently<T>(attempt: (isRetry: boolean) => Promise<T>): Promise<T> {
  const deadlineMs = performance.now() + patienceMs;
  let isRetry = false;
  for (let retries = 0; ; retries++) {
    try {
      return await attempt(isRetry);
    } catch (error) {
      isRetry ||= error instanceof ConnectionLost;
      const isPassing =
        isTransient(error) || (isRetry && (isDuplicate(error) || error instanceof Unavailable));
      if (!isPassing || retries === maxRetries || performance.now() > deadlineMs) {
        throw explained(isRetry ? new ConnectionLost(error) : error);
      }
      const longestMs = Math.min(pauseMs.longest, pauseMs.shortest * 2 ** retries);
      await delay(Math.random() * longestMs);
    }
  }
}
