import { chmodSync, createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import { openDriver } from "../src/service/database/database.ts";
import { openStore } from "../src/service/server/open-service.ts";
import type { Payment } from "../src/service/payments/payment-state.ts";
import { newAccount } from "../test/testkit/database/records.ts";

// Millions of payments, written past the service into its table, with every column as it writes them.

type LoadedPayments = { count: number; create: (index: number) => Payment };

const columns =
  "account_id, livemode, id, status, amount, currency, created, payment, events, first_status";
const rowsACommit = 100_000;
const rowsAFile = 500_000;

/** Writes payments into a new database. */
export async function loadPayments(database: string, payments: LoadedPayments): Promise<void> {
  const store = await openStore(await openDriver(database), newAccount());
  const accountId = (await store.listAccounts())[0]?.id ?? "";
  await store.close();
  if (database.startsWith("sqlite:")) {
    loadIntoSqlite(database.slice("sqlite:".length), accountId, payments);
  } else {
    await loadIntoPostgres(database, accountId, payments);
  }
}

function loadIntoSqlite(file: string, accountId: string, { count, create }: LoadedPayments) {
  const db = new DatabaseSync(file);
  db.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -262144");
  const insert = db.prepare(
    `INSERT INTO payments (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  for (let done = 0; done < count; done += rowsACommit) {
    db.exec("BEGIN");
    for (let index = done; index < Math.min(count, done + rowsACommit); index++)
      insert.run(...toRow(accountId, create(index)));
    db.exec("COMMIT");
  }
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
}

/** The server reads files, which is faster than rows over a connection; they are as large as a part of the payments. */
async function loadIntoPostgres(url: string, accountId: string, payments: LoadedPayments) {
  const folder = mkdtempSync(join(tmpdir(), "payments-bench-copy-"));
  chmodSync(folder, 0o755); // the server runs as another user
  const client = new Client(url);
  await client.connect();
  for (let done = 0; done < payments.count; done += rowsAFile) {
    const file = join(folder, `${done}.tsv`);
    await writeRows(file, accountId, payments, done);
    await client.query(`COPY payments (${columns}) FROM '${file}'`);
    rmSync(file);
  }
  await client.query("VACUUM ANALYZE payments");
  await client.end();
  rmSync(folder, { recursive: true });
}

async function writeRows(
  file: string,
  accountId: string,
  { count, create }: LoadedPayments,
  from: number,
): Promise<void> {
  const stream = createWriteStream(file);
  const end = Math.min(count, from + rowsAFile);
  for (let index = from; index < end;) {
    const lines: string[] = [];
    for (; index < end && lines.length < 1_000; index++) {
      lines.push(`${toRow(accountId, create(index)).join("\t").replaceAll("\\", "\\\\")}\n`);
    }
    if (!stream.write(lines.join(""))) await once(stream, "drain");
  }
  stream.end();
  await once(stream, "close");
}

function toRow(accountId: string, payment: Payment): (string | number)[] {
  const { id, status, amount, currency, created, livemode } = payment;
  const json = JSON.stringify(payment);
  return [accountId, livemode ? 1 : 0, id, status, amount, currency, created, json, 1, status];
}
