import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { Client } from "pg";
import { expect, inject, onTestFinished, test } from "vitest";
import type { Payment } from "../../../src/contract/payment.ts";
import { checkDatabase } from "../../../src/service/server/doctor/check-database.ts";
import { embedWithoutOwnKeys } from "../../../src/service/server/embed.ts";
import { migrateDatabase } from "../../../src/service/server/migrate-database.ts";
import { openBoundService } from "../../testkit/service/bind-use-cases.ts";
import { openDriver } from "../../../src/service/database/database.ts";
import { readSchema } from "../../../src/service/database/migrate.ts";
import { bodyWith, cardWith } from "../../testkit/api-objects.ts";
import { newDatabase } from "../../testkit/database/open-database.ts";
import { listening } from "../../testkit/client/running-service.ts";

/** A command's own service, over a database with a schema and without keys. */
async function openEmbedded(database: string) {
  const { call, close, apiKey } = await embedWithoutOwnKeys({
    database,
    docsUrl: "https://payments.test/docs/errors",
    migrates: false,
    mode: "test",
    actor: { type: "command", id: null, name: "ada" },
    chooseAccount: ([first]) => first!,
    hasKey: false,
  });
  onTestFinished(close);
  return async (path: string, body?: object) => {
    const answer = await call({
      method: body ? "POST" : "GET",
      path,
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    return JSON.parse(answer.body) as Record<string, unknown>;
  };
}

test("a command creates no keys in a deployment's PostgreSQL", async () => {
  const database = await newDatabase();
  await migrateDatabase(database);
  const call = await openEmbedded(database);
  const { id } = (await call("/v1/payments", bodyWith({}))) as Payment;
  expect(await call("/v1/payments")).toMatchObject({ data: [{ id }] });
  const { service, close } = await openBoundService({ database });
  onTestFinished(close);
  expect(await service.listKeys()).toEqual([]);
});

test("a command that reads needs no permission to write", async () => {
  const database = await newDatabase();
  await migrateDatabase(database);
  const { id } = (await (await openEmbedded(database))("/v1/payments", bodyWith({}))) as Payment;
  const schema = /search_path%3D(\w+)/.exec(database)?.[1] ?? "";
  const owner = new Client(inject("postgresUrl") ?? "");
  await owner.connect();
  onTestFinished(async () => owner.end());
  await owner.query(`CREATE ROLE reader_of_${schema} LOGIN PASSWORD 'reads'`);
  await owner.query(`GRANT USAGE ON SCHEMA ${schema} TO reader_of_${schema}`);
  await owner.query(`GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO reader_of_${schema}`);
  const asReader = new URL(database);
  asReader.username = `reader_of_${schema}`;
  asReader.password = "reads";
  const call = await openEmbedded(asReader.href);
  expect(await call("/v1/payments")).toMatchObject({ data: [{ id }] });
  expect(await call("/v1/account")).toMatchObject({ name: "Default" });
  const options = { database: asReader.href, isNamed: true, nowMs: Date.now() };
  const checks = await Array.fromAsync(checkDatabase(options));
  expect(checks.find(({ name }) => name === "writable")).toMatchObject({
    status: "warn",
    detail: "This user may not write to the table charges, so only commands that read work.",
    help: `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO reader_of_${schema}`,
  });
});

test("a command does not create a schema in an empty PostgreSQL", async () => {
  const database = await newDatabase();
  const missing = {
    name: "Unavailable",
    message: expect.stringMatching(/^There is no database of payments at postgres:/) as unknown,
  };
  await expect(openBoundService({ database }, { createsDatabase: false })).rejects.toMatchObject(
    missing,
  );
  await expect(openEmbedded(database)).rejects.toMatchObject(missing);
  const driver = await openDriver(database);
  onTestFinished(async () => driver.close());
  expect((await readSchema(driver)).databaseVersion).toBe(0);
});

const others = { account: "acct_others", key: `svc_test_sk_${"o".repeat(43)}` };

/** A service over a database that stores each account's payments on one of several machines. */
async function openSharded() {
  const database = await newDatabase();
  const service = await listening({ database });
  const client = new Client(database);
  await client.connect();
  onTestFinished(async () => client.end());
  const hash = createHash("sha256").update(others.key).digest("hex");
  for (const sql of [
    `INSERT INTO accounts SELECT (jsonb_populate_record(accounts, '{"id":"${others.account}"}')).* FROM accounts`,
    `INSERT INTO api_keys SELECT (jsonb_populate_record(api_keys,
     '{"account_id":"${others.account}","id":"key_others","hash":"${hash}"}')).* FROM api_keys`,
    "CREATE TABLE lost (account TEXT)",
    `CREATE FUNCTION is_reached(account TEXT) RETURNS BOOLEAN LANGUAGE plpgsql AS
     $$ BEGIN
       IF EXISTS (SELECT 1 FROM lost WHERE lost.account = $1) THEN
         RAISE EXCEPTION 'connection to the remote node failed' USING ERRCODE = '08006';
       END IF;
       RETURN TRUE;
     END $$`,
    "ALTER TABLE payments RENAME TO payments_of_all",
    `CREATE VIEW payments AS SELECT * FROM payments_of_all WHERE is_reached(account_id) WITH CHECK OPTION`,
  ])
    await client.query(sql);
  const send = async (key: string, method: "GET" | "POST", path: string, body?: object) => {
    const answer = await fetch(`${service.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    const received = (await answer.json()) as { id?: string; error?: { code: string } };
    return { ...received, status: answer.status, retryAfter: answer.headers.get("retry-after") };
  };
  return {
    service,
    send,
    create: async (key: string, fields = {}) => send(key, "POST", "/v1/payments", bodyWith(fields)),
    /** Makes the first account's machine unavailable while a payment on it is due. */
    lose: async () =>
      client.query(
        `BEGIN;
         INSERT INTO charges (account_id, livemode, payment_id, network, pending_action, begun_at_ms, undecided_since_ms, attempts, due_at_ms)
         SELECT account_id, livemode, id, 'simulator', 'cancel', 0, 0, 0, 0 FROM payments;
         INSERT INTO lost SELECT id FROM accounts WHERE id <> '${others.account}';
         COMMIT`,
      ),
    recover: async () => client.query("DELETE FROM lost"),
  };
}

test("while a machine of the database is unavailable, its accounts get 503, and other accounts are served", async () => {
  const { service, send, create, lose, recover } = await openSharded();
  const paid = await create(service.key);
  await lose();
  const refused = [
    await create(service.key),
    await send(service.key, "GET", `/v1/payments/${paid.id}`),
    await send(service.key, "GET", "/v1/payments"),
    await send(service.key, "POST", `/v1/payments/${paid.id}/refund`),
  ];
  for (const answer of refused)
    expect(answer).toMatchObject({
      status: 503,
      retryAfter: "1",
      error: { code: "service_unavailable" },
    });
  const other = await create(others.key, { card: cardWith({ number: "4000000000000002" }) });
  expect(other.status).toBe(201);
  expect((await send(others.key, "GET", "/v1/payments")).status).toBe(200);
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  expect(metrics).toMatch(/^payments_http_requests_unavailable_total 4$/m);
  await recover();
  expect((await create(service.key)).status).toBe(201);
  const settled = async () => send(others.key, "GET", `/v1/payments/${other.id}`);
  await expect.poll(settled).toMatchObject({ status: 200, decline_code: "generic_decline" });
});

test("a sandbox that is unref keeps no process, although its connections are open", async () => {
  const program = new URL("../../programs/forget-to-close.ts", import.meta.url).pathname;
  const settings = { sandbox: true, unref: true, database: await newDatabase() };
  const child = spawn(process.execPath, [program, JSON.stringify(settings)], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  expect(await once(child, "exit")).toEqual([0, null]);
});
