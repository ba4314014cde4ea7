import { expect, test } from "vitest";
import { findStatementFaults } from "../../testkit/database/statement-faults.ts";

const ofScope = "account_id = $1 AND livemode = $2";

test.each([
  ["a row by its account", `SELECT payment FROM payments WHERE ${ofScope} AND id = $3`],
  ["a new row", "INSERT INTO payments (account_id, id) VALUES ($1, $2)"],
  [
    "a row beside another one of its account",
    "INSERT INTO charges (account_id, payment_id, due_at_ms) SELECT account_id, id, $3 FROM payments WHERE account_id = $1 AND id = $2",
  ],
  [
    "what is due, with its payment",
    `UPDATE charges SET due_at_ms = $2 WHERE (account_id, payment_id) IN
     (SELECT account_id, payment_id FROM charges WHERE due_at_ms <= $1 LIMIT $3)
     RETURNING (SELECT payment FROM payments paid WHERE paid.account_id = charges.account_id)`,
  ],
  [
    "what waits, whenever it is due",
    "SELECT COUNT(*) FROM deliveries WHERE due_at_ms <= 9007199254740991",
  ],
  [
    "rows changed by a list of values",
    `WITH change (id, status) AS (VALUES (CAST($3 AS TEXT), CAST($4 AS TEXT)))
     UPDATE payments SET status = change.status FROM change WHERE ${ofScope} AND payments.id = change.id`,
  ],
  ["a locked row", `SELECT id FROM payments WHERE ${ofScope} AND id = $3 FOR UPDATE`],
  ["a key by its hash", "SELECT account_id FROM api_keys WHERE hash = $1"],
])("there is no fault in %s", async (_, sql) => {
  expect(await findStatementFaults(sql)).toEqual([]);
});

const unnamed = (tables: string) => `does not name the account of ${tables}`;
const fromNothing = "inserts what is selected from nothing";
const joined = "joins rows of several accounts";

test.each([
  ["by its id alone", "SELECT payment FROM payments WHERE id = $1", [unnamed("payments")]],
  [
    "by its account or another condition",
    "SELECT payment FROM payments WHERE account_id = $1 OR id = $2",
    [unnamed("payments")],
  ],
  ["by all accounts but one", "DELETE FROM payments WHERE account_id <> $1", [unnamed("payments")]],
  [
    "selected from nothing",
    `INSERT INTO idempotency_records (account_id, idempotency_key) SELECT $1, $2 WHERE TRUE
     ON CONFLICT (account_id, idempotency_key) DO UPDATE SET body = $3 WHERE idempotency_records.expires_at_ms <= $4`,
    [fromNothing],
  ],
  [
    "selected from a row of whichever account",
    "INSERT INTO charges (account_id, payment_id) SELECT account_id, id FROM payments WHERE id = $1",
    [unnamed("charges, payments")],
  ],
  [
    "beside a row of whichever account",
    "DELETE FROM charges WHERE account_id = $1 AND NOT EXISTS (SELECT 1 FROM payments WHERE id = $2)",
    [unnamed("payments"), joined],
  ],
  [
    "with the rows of another account",
    "SELECT 1 FROM payments a JOIN payments b ON a.id = b.id WHERE a.account_id = $1 AND b.account_id = $2",
    [joined],
  ],
  [
    "that is due, with the payments of all accounts",
    "SELECT payment FROM charges JOIN payments ON id = payment_id WHERE due_at_ms <= $1",
    [unnamed("payments"), joined],
  ],
  [
    "of a key that anybody may have",
    "UPDATE api_keys SET revoked_at = $1 WHERE id = $2",
    [unnamed("api_keys")],
  ],
  [
    "at a key of all accounts",
    "INSERT INTO payments (account_id, id) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING",
    ["meets another row at a key that does not begin with its account"],
  ],
  [
    "to another account",
    "UPDATE payments SET account_id = $1 WHERE account_id = $2",
    ["moves a row to another account"],
  ],
  [
    "by the time of a machine",
    "DELETE FROM idempotency_records WHERE account_id = $1 AND expires_at_ms < now() AND body < CURRENT_TIMESTAMP",
    ["calls now", "depends on the machine's time or user"],
  ],
  [
    "that is locked",
    "SELECT 1 FROM charges WHERE due_at_ms <= $1 FOR UPDATE",
    ["locks rows of several machines"],
  ],
  ["of the whole table", "TRUNCATE payments", ["is a TruncateStmt"]],
])("a row %s is wrong", async (_, sql, faults) => {
  expect(await findStatementFaults(sql)).toEqual(faults);
});
