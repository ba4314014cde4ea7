import { DatabaseError } from "pg";
import type { Servers } from "./postgres-servers.ts";

const tables = ["payments", "idempotency_records", "charges", "events", "deliveries", "activity"];
/** How long until it is looked at first, and then twice as long each time. */
const firstMs = 1_000;
const longestMs = 60_000;
const leastBytes = 64 * 1024;
const undefinedTable = "42P01";

/**
 * PostgreSQL knows nothing of a new table until it has looked at its rows, which it does by itself some
 * minute after they have come. Until then one index is as good to it as another, and it may read all
 * payments of an account to find the one: so it is told to look as soon as there are some. Gives what ends
 * the waiting for that. What was never looked at has -1 rows, and before PostgreSQL 14 none. A database of the
 * family that has no such statistics is left to itself.
 */
export function analyzeNewTables(servers: Servers): () => void {
  let timer: NodeJS.Timeout | undefined;
  let pauseMs = firstMs;
  let hasEnded = false;
  /** Each is looked at once: one that holds only what was deleted would say again that it has no rows. */
  const unseen = new Set(tables);

  async function look(): Promise<void> {
    const client = await servers.connect();
    let isOfUse = false;
    try {
      const { rows } = await client.query<{ name: string; is_filled: boolean }>(
        `SELECT relname AS name, pg_relation_size(oid) > ${leastBytes} AS is_filled FROM pg_class
         WHERE oid = ANY ($1::text[]::regclass[]) AND reltuples <= 0`,
        [[...unseen]],
      );
      for (const { name, is_filled } of rows) {
        if (!is_filled) continue;
        await client.query(`ANALYZE ${name}`);
        unseen.delete(name);
      }
      if (rows.some(({ is_filled }) => !is_filled)) wait();
      isOfUse = true;
    } finally {
      client.release(!isOfUse);
    }
  }
  function wait(): void {
    if (hasEnded) return;
    timer = setTimeout(() => void look().catch(goOn), pauseMs).unref();
    pauseMs = Math.min(2 * pauseMs, longestMs);
  }
  /** The schema may not be there yet, nor the database; what it does not know it never will. */
  function goOn(error: unknown): void {
    if (!(error instanceof DatabaseError) || error.code === undefinedTable) wait();
  }

  void servers.firstConnected.then(wait);
  return () => {
    hasEnded = true;
    clearTimeout(timer);
  };
}
