import { DatabaseError } from "pg";
import type { Servers } from "./postgres-servers.ts";

const tables = ["payments", "idempotency_records", "charges", "events", "deliveries", "activity"];
/** The pause before the first look; each one after it is twice as long. */
const firstPauseMs = 1_000;
const maxPauseMs = 60_000;
const minBytes = 64 * 1024;
const undefinedTable = "42P01";

/**
 * PostgreSQL knows nothing of a new table until it has looked at its rows, which it does by itself some
 * minute after they have come. Until then one index is as good to it as another, and it may read all
 * payments of an account to find one: so ANALYZE runs as soon as there are some. Returns what stops
 * the waiting for that. A table that was never looked at has -1 rows, and before PostgreSQL 14 none. A database of the
 * family that has no such statistics is left to itself.
 */
export function analyzeNewTables(servers: Servers): () => void {
  let timer: NodeJS.Timeout | undefined;
  let pauseMs = firstPauseMs;
  let hasEnded = false;
  /** Each is looked at once: one that holds only what was deleted would say again that it has no rows. */
  const pending = new Set(tables);

  async function look(): Promise<void> {
    const client = await servers.connect();
    let isUsable = false;
    try {
      const { rows } = await client.query<{ name: string; is_filled: boolean }>(
        `SELECT relname AS name, pg_relation_size(oid) > ${minBytes} AS is_filled FROM pg_class
         WHERE oid = ANY ($1::text[]::regclass[]) AND reltuples <= 0`,
        [[...pending]],
      );
      for (const { name, is_filled } of rows) {
        if (!is_filled) continue;
        await client.query(`ANALYZE ${name}`);
        pending.delete(name);
      }
      if (rows.some(({ is_filled }) => !is_filled)) wait();
      isUsable = true;
    } finally {
      client.release(!isUsable);
    }
  }
  function wait(): void {
    if (hasEnded) return;
    timer = setTimeout(() => void look().catch(retry), pauseMs).unref();
    pauseMs = Math.min(2 * pauseMs, maxPauseMs);
  }
  /** The schema or the database may not be there yet; a database without such statistics never has them. */
  function retry(error: unknown): void {
    if (!(error instanceof DatabaseError) || error.code === undefinedTable) wait();
  }

  void servers.firstConnected.then(wait);
  return () => {
    hasEnded = true;
    clearTimeout(timer);
  };
}
