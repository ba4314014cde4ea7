import { setTimeout as delay } from "node:timers/promises";
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";

/** `payments_search_behind_seconds`; undefined where the service has no such metric. */
export async function readBehindSeconds(url: string): Promise<number | undefined> {
  const response = await fetch(`${url}/metrics`);
  const found = /^payments_search_behind_seconds (\S+)$/m.exec(await response.text());
  return found ? Number(found[1]) : undefined;
}

/** Waits until all payments are in the index and counted, and nothing is merged; says now and then how far it is. */
export async function waitUntilIndexed(
  { url, key }: { url: string; key: string },
  database: string,
  { count, oldWord }: { count: number; oldWord: string },
): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  const startMs = performance.now();
  let indexedMs: number | undefined;
  for (let polls = 1, before = ""; ; polls++) {
    const response = await fetch(`${url}/v1/payments?search=${oldWord}`, { headers });
    const body = await response.text();
    const behind = await readBehindSeconds(url);
    const segments = await readSegments(database);
    if (response.ok && behind === 0) indexedMs ??= performance.now() - startMs;
    const isAtRest = !segments.isMerging && segments.text === before;
    if (indexedMs !== undefined && isAtRest && (await countTotals(database)) === count) {
      console.log(`indexed in ${Math.round(indexedMs / 1_000)} s, then merged: ${segments.text}`);
      return;
    }
    before = segments.text;
    if (polls % 10 === 0) console.log(`${behind} s behind, ${before}: ${body.slice(0, 200)}`);
    await delay(restMs);
  }
}

/** Longer than the index job pauses at rest. */
const restMs = 5_000;

/**
 * The segments of the index: a merge writes the blocks of one that is not there yet, and retires those that it read.
 */
async function readSegments(database: string): Promise<{ text: string; isMerging: boolean }> {
  const sql = `SELECT COUNT(*) AS "all", COUNT(retired_at_ms) AS retired, MAX(segment) AS newest,
    (SELECT COUNT(*) FROM (SELECT segment FROM search_blocks GROUP BY account_id, livemode, segment) b) AS written
    FROM search_segments`;
  const { all, retired, newest, written } = await queryOne(database, sql);
  const isMerging = Number(retired) > 0 || Number(written) !== Number(all);
  return { text: `${String(all)} segments up to ${String(newest)}`, isMerging };
}

/** The payments in the totals, which are counted behind the writers too. */
async function countTotals(database: string): Promise<number> {
  return Number(
    (await queryOne(database, "SELECT SUM(payments) AS counted FROM totals"))["counted"],
  );
}

/** The bytes on disk of the tables of the index, with their keys. */
export async function measureIndexBytes(database: string): Promise<number> {
  const sql = database.startsWith("sqlite:")
    ? `SELECT COALESCE(SUM(pgsize), 0) AS bytes FROM dbstat WHERE name IN
       (SELECT name FROM sqlite_schema WHERE tbl_name LIKE 'search%')`
    : `SELECT COALESCE(SUM(pg_total_relation_size(oid)), 0) AS bytes FROM pg_class
       WHERE relkind = 'r' AND relname LIKE 'search%'`;
  return Number((await queryOne(database, sql))["bytes"]);
}

async function queryOne(database: string, sql: string): Promise<Record<string, unknown>> {
  if (database.startsWith("sqlite:")) {
    const db = new DatabaseSync(database.slice("sqlite:".length), { readOnly: true });
    const row = db.prepare(sql).get() ?? {};
    db.close();
    return row;
  }
  const client = new Client(database);
  await client.connect();
  const { rows } = await client.query<Record<string, unknown>>(sql);
  await client.end();
  return rows[0] ?? {};
}
