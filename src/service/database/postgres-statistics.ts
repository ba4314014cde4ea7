import { isServerError } from "./postgres-errors.ts";
import type { Servers } from "./postgres-servers.ts";

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
export function analyzeNewTables(servers: Servers): () => void {
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
