import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { paymentIn } from "../domain/payment-in.ts";
import { readPayment } from "./contract/read.ts";
import { atMs, scope, writeOf } from "./contract/writes.ts";
import { openFile } from "./open-file.ts";
import { temporaryFile } from "./temporary-file.ts";

const migrations = new URL("../../src/store/migrations/", import.meta.url);

/** A database as the first version of the program made it, with a payment in it. */
function databaseOfSchema1() {
  const file = temporaryFile();
  const db = new DatabaseSync(file);
  db.exec(readFileSync(new URL("001-payments.sql", migrations), "utf8"));
  db.exec("CREATE TABLE schema_migrations (version BIGINT PRIMARY KEY, name TEXT NOT NULL)");
  db.exec("INSERT INTO schema_migrations VALUES (1, '001-payments.sql')");
  const payment = paymentIn("succeeded", atMs);
  const sql = "INSERT INTO payments VALUES ('acct_1', 0, ?, 'succeeded', 4999, 'eur', ?, ?)";
  db.prepare(sql).run(payment.id, payment.created, JSON.stringify(payment));
  db.close();
  return { file, payment };
}

test("a database of schema 1 gets what is new, and keeps what it has", async () => {
  const { file, payment } = databaseOfSchema1();
  const { store } = await openFile({ file });
  expect(await readPayment(store, scope, payment.id)).toEqual(payment);
  const hosted = paymentIn("pending", atMs, { card: null });
  const page = { token: "token", returnUrl: null, expiresAtMs: atMs };
  await store.createPayment(writeOf(hosted, { page }));
  expect(await store.findPage("token")).toMatchObject({ payment: hosted });
});

test("several programs that open it at once bring it up to date once", async () => {
  const { file } = databaseOfSchema1();
  await Promise.all([1, 2, 3].map(async () => openFile({ file })));
  const db = new DatabaseSync(file, { readOnly: true });
  const rows = db.prepare("SELECT version FROM schema_migrations ORDER BY version").all();
  db.close();
  expect(rows.map(({ version }) => version)).toEqual([1, 2]);
});

test("a schema is current when it is the known one or a newer one, and only then", async () => {
  const { file, store } = await openFile();
  expect(await store.isCurrent()).toBe(true);
  const db = new DatabaseSync(file);
  db.exec("INSERT INTO schema_migrations (version, name) VALUES (9999, 'later')");
  expect(await store.isCurrent()).toBe(true);
  db.exec("DELETE FROM schema_migrations WHERE version > 1");
  expect(await store.isCurrent()).toBe(false);
  db.close();
});
