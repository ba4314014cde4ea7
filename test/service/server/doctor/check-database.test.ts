import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { insertAccount } from "../../../../src/service/accounts/accounts-store.ts";
import { buildAccount } from "../../../../src/service/accounts/manage-accounts.ts";
import {
  checkDatabase,
  type DatabaseToCheck,
} from "../../../../src/service/server/doctor/check-database.ts";
import { openEmbeddedKeys } from "../../../../src/service/server/embedded-keys.ts";
import { ids } from "../../../../src/service/database/ids.ts";
import { openBoundService } from "../../../testkit/service/bind-use-cases.ts";
import { migrate, readMigrations } from "../../../../src/service/database/migrate.ts";
import { openSqlite } from "../../../../src/service/database/sqlite.ts";
import { openFile } from "../../../testkit/database/open-database.ts";
import { newAccount, paymentIn } from "../../../testkit/database/records.ts";
import { freePort } from "../../../testkit/sockets/tcp-proxy.ts";
import { temporaryFile } from "../../../testkit/temporary.ts";
import { addEndpoint, endDelivery, failedAttempt } from "../../database/contract/endpoints.ts";
import {
  atMs,
  scope,
  simulatedCharge,
  storedCharge,
  writeOf,
} from "../../database/contract/writes.ts";

const hourMs = 60 * 60 * 1000;
const programVersion = readMigrations().length;

/** The checks of a database by their names. */
async function examine(database: string, more: Partial<DatabaseToCheck> = {}) {
  const checks = await Array.fromAsync(
    checkDatabase({ database, isNamed: true, nowMs: atMs, ...more }),
  );
  return Object.fromEntries(checks.map((check) => [check.name, check]));
}

/** A database with a payment, which is open as a running service has it; `accountId` is that of its account. */
async function openDatabase() {
  const { file, store } = await openFile();
  await store.insertAccount(newAccount({ id: scope.accountId }));
  return { file, database: `sqlite:${file}`, store };
}

describe("a database of which all is well", () => {
  test("passes every check, while a service has it open, and leaves no trace", async () => {
    const { database, file, store } = await openDatabase();
    await store.createPayment(() => writeOf(paymentIn("succeeded", atMs)));
    const before = readdirSync(dirname(file));
    const found = await examine(database);
    expect(Object.keys(found)).toEqual([
      "database",
      "writable",
      "disk",
      "log",
      "schema",
      "settlements",
      "charges",
      "webhooks",
      "endpoints",
    ]);
    expect(Object.values(found).filter(({ status }) => status !== "ok")).toEqual([]);
    expect(readdirSync(dirname(file))).toEqual(before);
  });

  test.each([
    [0o666, "fail", "Others can read or write"],
    [0o644, "fail", "Others can read or write"],
    [0o660, "fail", "Others can read or write"],
    [0o640, "warn", "The group can read"],
  ])("is not one with a file that others can use: mode %o", async (mode, status, told) => {
    const { database, file } = await openDatabase();
    for (const name of ["", "-wal", "-shm"]) {
      chmodSync(file + name, mode);
      const { writable } = await examine(database);
      const detail = `${told} ${file}${name} (mode 0${mode.toString(8)}).`;
      expect(writable).toMatchObject({ status, detail, help: `chmod 600 ${file}${name}` });
      chmodSync(file + name, 0o600);
    }
    expect(await examine(database)).toMatchObject({ writable: { status: "ok" } });
  });

  test("may be the user's own one that is yet to be made: none is made", async () => {
    const file = temporaryFile();
    const found = await examine(`sqlite:${file}`, { isNamed: false });
    expect(found).toMatchObject({ database: { status: "ok" } });
    expect(readdirSync(dirname(file))).toEqual([]);
  });
});

describe("a named database that cannot be read", () => {
  test("because it is missing fails: payments migrate; none is made", async () => {
    const file = temporaryFile();
    const help = `payments migrate --database sqlite:${file}`;
    expect(await examine(`sqlite:${file}`)).toMatchObject({ database: { status: "fail", help } });
    expect(readdirSync(dirname(file))).toEqual([]);
  });

  test("because it is another file, or a folder, fails with what to do", async () => {
    const file = temporaryFile();
    writeFileSync(
      file,
      "no database, but long enough for its header to be read as one. ".repeat(9),
    );
    const found = await examine(`sqlite:${file}`);
    expect(found["database"]).toMatchObject({
      status: "fail",
      detail: expect.stringContaining("not a SQLite database") as string,
    });
    const folder = `${file}-folder`;
    mkdirSync(folder);
    expect((await examine(`sqlite:${folder}`))["database"]).toMatchObject({
      status: "fail",
      detail: expect.stringContaining("it is a folder") as string,
      help: expect.stringContaining("Move it away") as string,
    });
  });

  test("because its address is none fails, without its password", async () => {
    const found = await examine("postgres://user:secret@/name@host");
    expect(found).toMatchObject({ database: { status: "fail" } });
    expect(JSON.stringify(found)).not.toContain("secret");
  });

  test("because no PostgreSQL answers fails: pg_isready; its password is not shown", async () => {
    const port = await freePort();
    const found = await examine(`postgres://user:secret@127.0.0.1:${port}/payments`);
    expect(found).toMatchObject({
      database: { status: "fail", help: `pg_isready --host 127.0.0.1 --port ${port}` },
    });
    expect(JSON.stringify(found)).not.toContain("secret");
  });
});

/** A database of an older program. */
async function openOlder() {
  const file = temporaryFile();
  const driver = await openSqlite({ file });
  const first = buildAccount({ ids, clock: () => atMs });
  await migrate(driver, insertAccount(first), readMigrations().slice(0, -1));
  await driver.close();
  return `sqlite:${file}`;
}

/** A database that a later program has migrated, after which programs from `oldest` on still work. */
async function openNewer(oldest: number) {
  const { file, database } = await openDatabase();
  const db = new DatabaseSync(file);
  db.prepare("INSERT INTO schema_migrations VALUES (?, '999-later.sql', 'later', ?)").run(
    programVersion + 1,
    oldest,
  );
  db.close();
  return database;
}

describe("the schema", () => {
  test("that is too old fails: payments migrate; nothing is migrated, and no file is left", async () => {
    const database = await openOlder();
    const folder = dirname(database.slice("sqlite:".length));
    const before = readdirSync(folder);
    const { schema, settlements } = await examine(database);
    const help = `payments migrate --database ${database}`;
    expect(schema).toMatchObject({ status: "fail", help });
    expect(settlements).toBeUndefined();
    expect((await examine(database))["schema"]).toEqual(schema);
    expect(readdirSync(folder)).toEqual(before);
    const own = await examine(database, { isNamed: false });
    expect(own["schema"]).toMatchObject({ status: "warn", help: "payments migrate" });
  });

  test("that is too new fails: update; one that this program still works with is a warning", async () => {
    const { schema, settlements } = await examine(await openNewer(programVersion + 1));
    expect(schema).toMatchObject({
      status: "fail",
      detail: expect.stringContaining("Update payments") as string,
      help: "payments --version",
    });
    expect(settlements).toBeUndefined();
    const { schema: usable, charges } = await examine(await openNewer(1));
    expect(usable).toMatchObject({ status: "warn", help: "payments --version" });
    expect(charges).toMatchObject({ status: "ok" });
  });
});

describe("the disk of a SQLite file", () => {
  test.each([
    [1, "fail"],
    [500, "warn"],
    [5_000, "ok"],
  ])("with %d MiB free: %s, df -h", async (mebibytes, status) => {
    const { database, file } = await openDatabase();
    const readFreeBytes = async () => mebibytes * 1024 * 1024;
    const { disk } = await examine(database, { fileLimits: { readFreeBytes } });
    const help = status === "ok" ? null : `df -h ${dirname(file)}`;
    expect(disk).toMatchObject({ status, help });
  });

  test("has a log that has grown: fuser", async () => {
    const { database, file } = await openDatabase();
    const { size } = statSync(`${file}-wal`);
    const { log } = await examine(database, { fileLimits: { maxLogBytes: size - 1 } });
    expect(log).toMatchObject({ status: "warn", help: `fuser -v ${file}` });
    const { log: allowed } = await examine(database, { fileLimits: { maxLogBytes: size } });
    expect(allowed).toMatchObject({ status: "ok" });
  });
});

describe("work that is due", () => {
  test("since minutes, and not settled, is told: payments serve", async () => {
    const { database, store } = await openDatabase();
    const charge = simulatedCharge(atMs);
    await store.createPayment(() => ({ ...writeOf(paymentIn("pending", atMs)), charge }));
    const later = async (ms: number, isNamed = true) =>
      (await examine(database, { nowMs: atMs + ms, isNamed }))["settlements"];
    expect(await later(30_000)).toMatchObject({ status: "ok" });
    expect(await later(2 * 60_000)).toMatchObject({ status: "warn", help: "payments serve" });
    expect(await later(hourMs)).toMatchObject({ status: "fail", help: "payments serve" });
    expect(await later(hourMs, false)).toMatchObject({ status: "ok" }); // the next command settles it
  });

  test("at the card network, and undecided, is told: payments network check", async () => {
    const { database, store } = await openDatabase();
    const charge = storedCharge();
    await store.createPayment(() => ({ ...writeOf(paymentIn("pending", atMs)), charge }));
    const later = async (ms: number) => (await examine(database, { nowMs: atMs + ms }))["charges"];
    expect(await later(60_000)).toMatchObject({ status: "ok" });
    const help = "payments network check URL";
    expect(await later(20 * 60_000)).toMatchObject({ status: "warn", help });
    expect(await later(2 * hourMs)).toMatchObject({ status: "fail", help });
  });

  test("is webhooks that are not delivered for a day: the endpoint's deliveries", async () => {
    const { database, store } = await openDatabase();
    const { id } = await addEndpoint(store);
    await store.createPayment(() => writeOf(paymentIn("succeeded", atMs)));
    const later = async (ms: number) => (await examine(database, { nowMs: atMs + ms }))["webhooks"];
    expect(await later(60_000)).toMatchObject({ status: "ok" });
    expect(await later(2 * hourMs)).toMatchObject({ status: "warn", help: "payments serve" });
    const [leased] = await store.leaseDeliveries(scope, id, {
      nowMs: atMs,
      untilMs: atMs + 1,
      limit: 1,
    });
    await endDelivery(store, failedAttempt(leased!, { endedMs: atMs }));
    expect(await later(25 * hourMs)).toMatchObject({
      status: "fail",
      help: `payments webhooks deliveries ${id}`,
    });
  });

  test("is left undone by an endpoint that was disabled for failing: enable it", async () => {
    const { database, store } = await openDatabase();
    const { id } = await addEndpoint(store, { status: "disabled", disabledReason: "failing" });
    await addEndpoint(store, { status: "disabled" }); // by the merchant
    const { endpoints } = await examine(database);
    expect(endpoints).toMatchObject({
      status: "warn",
      detail: `Webhook endpoints that were disabled because they failed: ${id}.`,
      help: `payments webhooks enable ${id}`,
    });
  });
});

test("the embedded service's own key that was revoked fails: rm its file", async () => {
  const file = temporaryFile();
  const [database, keyFolder] = [`sqlite:${file}`, dirname(file)];
  const keys = await openEmbeddedKeys(keyFolder);
  const { service, close } = await openBoundService({ database });
  onTestFinished(close);
  await service.adoptKey(keys.test, { mode: "test", name: "embedded" });
  const own = { isNamed: false, keyFolder };
  expect((await examine(database, own))["key"]).toMatchObject({ status: "ok" });
  const [key] = await service.listKeys();
  await service.revokeKey(key!);
  expect((await examine(database, own))["key"]).toMatchObject({
    status: "fail",
    help: `rm ${keyFolder}/embedded-keys.json`,
  });
});
