import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { expect, inject, test } from "vitest";
import { checkDatabase } from "../../../src/service/server/doctor/check-database.ts";
import { migrateDatabase } from "../../../src/service/server/migrate-database.ts";
import { addParameters, newDatabase } from "../../testkit/database/open-database.ts";
import { startPooler } from "../../testkit/database/proxies.ts";

/** The checks of a database by their names. */
async function examine(database: string) {
  const checks = await Array.fromAsync(checkDatabase({ database, isNamed: true }));
  return Object.fromEntries(checks.map((check) => [check.name, check]));
}

async function newMigratedDatabase(): Promise<string> {
  const database = await newDatabase();
  await migrateDatabase(database);
  return database;
}

test("a migrated PostgreSQL passes every check", async () => {
  const found = await examine(await newMigratedDatabase());
  expect(Object.keys(found)).toEqual([
    "database",
    "pooler",
    "writable",
    "schema",
    "settlements",
    "charges",
    "webhooks",
    "endpoints",
  ]);
  expect(Object.values(found).filter(({ status }) => status !== "ok")).toEqual([]);
});

test("an empty PostgreSQL fails: payments migrate; nothing is made in it", async () => {
  const database = await newDatabase();
  const { schema, settlements } = await examine(database);
  expect(schema).toMatchObject({ status: "fail", help: "payments migrate" });
  expect(settlements).toBeUndefined();
  expect((await examine(database))["schema"]).toEqual(schema);
});

test("a wrong password fails: correct it; neither it nor the user is shown", async () => {
  const url = new URL(inject("postgresUrl") ?? "");
  url.username = "ada_with_a_name";
  url.password = "wrongSecret";
  const found = await examine(url.href);
  expect(found).toMatchObject({
    database: {
      status: "fail",
      detail: "The database cannot be reached: the user or password is refused.",
      help: expect.stringContaining("Correct the user and the password") as string,
    },
  });
  expect(JSON.stringify(found)).not.toMatch(/ada_with_a_name|wrongSecret/);
});

test("a role whose connections are all in use fails: its limit, or a smaller pool", async () => {
  const server = inject("postgresUrl") ?? "";
  const name = `limited_${randomBytes(8).toString("hex")}`;
  const admin = new Client(server);
  await admin.connect();
  await admin.query(`CREATE ROLE ${name} LOGIN PASSWORD 'secret' CONNECTION LIMIT 1`);
  const url = new URL(server);
  [url.username, url.password] = [name, "secret"];
  const holder = new Client(url.href);
  await holder.connect();
  const { database } = await examine(url.href);
  await holder.end();
  await admin.query(`DROP ROLE ${name}`);
  await admin.end();
  expect(database).toMatchObject({
    status: "fail",
    detail:
      "The database cannot be reached: too many connections are open: the limit of this user, of the database or of the server is reached; nothing was written.",
    help: expect.stringMatching(/CONNECTION LIMIT.*max_connections.*pool_max_conns/) as string,
  });
});

test("a database that is not there fails: createdb", async () => {
  const url = new URL(inject("postgresUrl") ?? "");
  url.pathname = "/not there";
  const { database } = await examine(url.href);
  expect(database).toMatchObject({ status: "fail", help: "createdb 'not there'" });
});

test("a read-only server, such as a standby, fails: name the primary", async () => {
  const database = await newMigratedDatabase();
  const standby = addParameters(database, { options: "-c default_transaction_read_only=on" });
  const { writable, pooler, schema } = await examine(standby);
  expect(writable).toMatchObject({
    status: "fail",
    help: expect.stringContaining("target_session_attrs=read-write") as string,
  });
  expect([pooler?.status, schema?.status]).toEqual(["ok", "ok"]);
  const needed = addParameters(standby, { target_session_attrs: "read-write" });
  expect((await examine(needed))["database"]).toMatchObject({
    status: "fail",
    help: writable?.help,
  });
});

test("a pooler that loses prepared statements fails: PgBouncer 1.21", async () => {
  const options = { per: "transaction", next: "used first", connections: 2 } as const;
  const { pooler } = await examine(await startPooler(await newMigratedDatabase(), options));
  expect(pooler).toMatchObject({
    status: "fail",
    help: expect.stringContaining("PgBouncer 1.21 or later with max_prepared_statements") as string,
  });
});

test("a pooler that allows no transactions fails: pool_mode = transaction", async () => {
  const url = await startPooler(await newMigratedDatabase(), {
    per: "session",
    next: "used first",
    connections: 20,
    refusesTransactions: true,
  });
  const { pooler, settlements } = await examine(url);
  expect(pooler).toMatchObject({
    status: "fail",
    help: expect.stringContaining("pool_mode = transaction") as string,
  });
  expect(settlements).toBeUndefined();
});
