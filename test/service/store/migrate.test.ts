import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { Unavailable } from "../../../src/runtime/failures.ts";
import {
  LockTimeout,
  query,
  type Driver,
  type Transaction,
} from "../../../src/service/store/driver.ts";
import {
  failPayment,
  refund,
  type Payment,
  type PendingPayment,
} from "../../../src/service/domain/payment-state.ts";
import { openStore } from "../../../src/service/store/store.ts";
import { listMigrationFiles } from "../../../src/service/store/migration-files.ts";
import { migrate, readSchema } from "../../../src/service/store/migrate.ts";
import { openSqlite } from "../../../src/service/store/sqlite.ts";
import { paymentIn } from "../../testkit/payment-in.ts";
import { readPayment } from "../../testkit/database/read.ts";
import { allPages, atMs, moveOf, scope, writeOf } from "./contract/writes.ts";
import { openFile } from "../../testkit/database/open-file.ts";
import { temporaryFile } from "../../testkit/temporary-file.ts";
import { newAccount } from "../../testkit/database/new-account.ts";

const program = new URL("write-payments.ts", import.meta.url).pathname;
const run = promisify(execFile);
const programMigrations = listMigrationFiles().map((file) => ({
  version: Number(file.slice(0, 3)),
  name: file.replace(".sql", ""),
}));
const everyVersion = programMigrations.map(({ version }) => version);
const newest = programMigrations.length;

const migrations = new URL("../../../src/service/store/migrations/", import.meta.url);

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
  await store.createPayment(() => writeOf(hosted, { page }));
  expect(await store.findPage("token")).toMatchObject({ payment: hosted });
});

test("payments of before schema 9 have no events, and are not looked through for them", async () => {
  const { file, payment } = databaseOfSchema1();
  const db = new DatabaseSync(file);
  db.exec("INSERT INTO accounts VALUES ('acct_1', '2026-11-01', 'secret', 500)");
  const { store } = await openFile({ file });
  expect(db.prepare("SELECT * FROM event_beginnings").all()).toEqual([
    { account_id: "acct_1", livemode: 0, payment_id: payment.id.slice(0, 11) },
  ]);
  db.close();
  const made = paymentIn("succeeded", atMs + 60 * 60_000);
  await store.createPayment(() => writeOf(made));
  const range = { below: "evt_g", above: "", direction: "forward", limit: 10 } as const;
  const events = await store.listEvents(scope, { ...range, type: undefined, paymentId: undefined });
  expect(events.items.map((json) => (JSON.parse(json) as { data: unknown }).data)).toEqual([
    { object: made },
  ]);
});

test("payments of before there were totals are counted in the states that they are in, and go on from there", async () => {
  const { file, payment } = databaseOfSchema1();
  const db = new DatabaseSync(file);
  const insert = db.prepare("INSERT INTO payments VALUES ('acct_1', 0, ?, ?, 4999, 'eur', ?, ?)");
  const made = (["pending", "succeeded", "failed", "refunded"] as const).map((status) =>
    paymentIn(status, atMs),
  );
  for (const each of made) insert.run(each.id, each.status, each.created, JSON.stringify(each));
  db.close();
  const { store } = await openFile({ file });
  const states = async () => {
    const { totals } = await store.findTotals(scope, 0, 1_000);
    const there = totals.filter(({ payments }) => payments !== 0);
    return Object.fromEntries(there.map(({ status, code, payments }) => [status + code, payments]));
  };
  const before = { pending: 1, succeeded: 2, failedinsufficient_funds: 1, refunded: 1 };
  expect(await states()).toEqual(before);
  while (await store.countTotals(scope, atMs / 1000 + 1, 2)) continue;
  expect(await states()).toEqual(before);
  const nowMs = atMs + 60_000;
  await store.transition(moveOf(refund(payment, nowMs / 1000) as Payment, "succeeded", { nowMs }));
  const late = made[0] as PendingPayment;
  await store.transition(
    moveOf(failPayment(late, "expired_card", nowMs / 1000), "pending", { nowMs }),
  );
  const after = { succeeded: 1, failedinsufficient_funds: 1, failedexpired_card: 1, refunded: 2 };
  expect(await states()).toEqual(after);
  while (await store.countTotals(scope, nowMs / 1000 + 1, 2)) continue;
  expect(await states()).toEqual(after);
});

describe("a database of before schema 7", () => {
  test("keeps its account, with its keys and its secret", async () => {
    const { file } = databaseOfSchema1();
    const db = new DatabaseSync(file);
    db.exec("INSERT INTO accounts VALUES ('acct_1', '2026-11-01', 'a secret of before', 500)");
    db.exec(
      "INSERT INTO api_keys VALUES ('acct_1', 'key_1', 0, 'shop', 'hash', 'wxyz', 600, NULL, NULL)",
    );
    db.close();
    const { store } = await openFile({ file });
    const account = { id: "acct_1", name: "Default", default_version: "2026-11-01", created: 500 };
    expect(await store.listAccounts()).toMatchObject([account]);
    const kept = { account, fingerprintSecret: "a secret of before" };
    expect(await store.findAccount("acct_1")).toMatchObject(kept);
    expect(await store.findKey("hash")).toMatchObject({ key: { id: "key_1", account: "acct_1" } });
  });

  test("that has made no account yet gets the one that a program of before would make", async () => {
    const { store } = await openFile(databaseOfSchema1());
    expect((await store.listAccounts()).map(({ id }) => id)).toEqual(["acct_1"]);
  });
});

test("what was kept of requests before schema 4 is forgotten: their fingerprints held card numbers", async () => {
  const { file } = databaseOfSchema1();
  const db = new DatabaseSync(file);
  db.exec(
    "INSERT INTO idempotency_records VALUES ('acct_1', 0, 'k', 'a fingerprint of before', 201, '{}', 9999999999999)",
  );
  db.close();
  const { store } = await openFile({ file });
  expect(await store.findStoredResponse(scope, "k", atMs)).toBeUndefined();
  expect(columnOf(file, "SELECT fingerprint FROM idempotency_records")).toEqual([]);
  await store.close();
  expect(readFileSync(file, "latin1")).not.toContain("a fingerprint of before");
});

const later = (oldest: string) =>
  `INSERT INTO schema_migrations (version, name, oldest_program) VALUES (99, 'later', ${oldest})`;

describe("a schema newer than the program", () => {
  test.each(["1", "4", `${newest}`])(
    "that programs from schema %s on work with is used as it is",
    async (oldest) => {
      const { file, driver } = await openFile();
      await driver.write(() => query(later(oldest), []));
      expect(await readSchema(driver)).toMatchObject({ databaseVersion: 99, pending: [] });
      expect(await migrate(driver, newAccount())).toEqual([]);
      const { store } = await openFile({ file });
      await store.createPayment(() => writeOf(paymentIn("succeeded", atMs)));
      expect(await allPages(store)).toHaveLength(1);
    },
  );

  test.each([`${newest + 1}`, "NULL"])(
    "that needs schema %s at least is refused",
    async (oldest) => {
      const { driver } = await openFile();
      await driver.write(() => query(later(oldest), []));
      await expect(readSchema(driver)).rejects.toThrow(
        `knows only ${newest}. Nothing was changed.`,
      );
    },
  );
});

test("without leave to migrate, an empty database gets its schema and an older one is refused", async () => {
  const fresh = await openDriver(temporaryFile());
  expect(await (await openStore(fresh, newAccount(), { migrates: false })).isCurrent()).toBe(true);
  const { file } = databaseOfSchema1();
  await expect(
    openStore(await openDriver(file), newAccount(), { migrates: false }),
  ).rejects.toMatchObject({
    name: "Unavailable",
    message: `The database has schema version 1, and this program needs ${newest}. Nothing was changed.`,
    hint: expect.stringContaining("payments migrate") as unknown,
  });
  expect(versionsIn(file)).toEqual([1]);
});

test("a change of the schema that others lock out is tried until it gets its turn", async () => {
  const driver = await openDriver(temporaryFile());
  let tries = 0;
  const busy: Driver = {
    ...driver,
    write: async (work) => {
      if (++tries < 12) throw new LockTimeout("The database refuses: a lock.");
      return await driver.write(work);
    },
  };
  expect(await migrate(busy, newAccount())).toEqual(programMigrations);
});

test("a change of the schema that others lock out for too long says to end them", async () => {
  const driver = await openDriver(databaseOfSchema1().file);
  const busy: Driver = {
    ...driver,
    write: async () => {
      throw new LockTimeout(
        "The database refuses: another transaction holds a lock that is needed.",
      );
    },
  };
  let nowMs = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => (nowMs += 45_000));
  onTestFinished(() => clock.mockRestore());
  await expect(migrate(busy, newAccount())).rejects.toMatchObject({
    name: "Unavailable",
    message: `The database refuses: another transaction holds a lock that is needed. Its schema has version 1, and this program needs ${newest}: end what holds it, and run payments migrate again.`,
  });
});

test("several programs that open it at once bring it up to date once", async () => {
  const { file } = databaseOfSchema1();
  await Promise.all([1, 2, 3].map(async () => openFile({ file })));
  expect(versionsIn(file)).toEqual(everyVersion);
});

test("so do several processes, without an error, twice in a row", async () => {
  for (let round = 0; round < 2; round++) {
    const { file, payment } = databaseOfSchema1();
    const started = [1, 2, 3, 4].map(async () => run(process.execPath, [program, file, "1"]));
    await Promise.all(started);
    expect(versionsIn(file)).toEqual(everyVersion);
    const { store } = await openFile({ file });
    expect(await readPayment(store, scope, payment.id)).toEqual(payment);
    expect(await allPages(store)).toHaveLength(5);
  }
});

describe("a migration that fails", () => {
  test("because another did the work is done", async () => {
    const { file } = databaseOfSchema1();
    const [ours, others] = [await openDriver(file), await openDriver(file)];
    const late: Driver = {
      ...ours,
      write: async () => {
        await migrate(others, newAccount());
        throw new Error("duplicate key value violates unique constraint");
      },
    };
    expect(await migrate(late, newAccount())).toEqual([]);
    expect(versionsIn(file)).toEqual(everyVersion);
  });

  test("because another began it and gave up is tried again", async () => {
    const driver = await openDriver(temporaryFile());
    let tries = 0;
    const unlucky: Driver = {
      ...driver,
      write: async (work) => {
        if (++tries < 3) throw new Error("deadlock detected");
        return await driver.write(work);
      },
    };
    expect(await migrate(unlucky, newAccount())).toEqual(programMigrations);
    expect(tries).toBe(3);
  });

  test("half-way leaves the database as it was, and its own error is told", async () => {
    const { file, payment } = databaseOfSchema1();
    const driver = await openDriver(file);
    const halfWay: Driver = {
      ...driver,
      write: async (work) => driver.write((isAgain) => cut(work(isAgain), 4)),
    };
    await expect(migrate(halfWay, newAccount())).rejects.toThrow("cut");
    expect(versionsIn(file)).toEqual([1]);
    expect(tablesIn(file)).not.toContain("hosted_pages");
    expect(await migrate(driver, newAccount())).toEqual(programMigrations.slice(1));
    const { store } = await openFile({ file });
    expect(await readPayment(store, scope, payment.id)).toEqual(payment);
  });
});

test("a migration that the database refuses says what is needed", async () => {
  const driver = await openDriver(databaseOfSchema1().file);
  const mayOnlyRead: Driver = {
    ...driver,
    write: async () => {
      throw new Unavailable("The database refuses: this user lacks a permission.");
    },
  };
  const error = await migrate(mayOnlyRead, newAccount()).catch((refusal: unknown) => refusal);
  expect(error).toBeInstanceOf(Unavailable);
  expect(error).toMatchObject({
    message: `The database refuses: this user lacks a permission. Its schema has version 1, and this program needs ${newest}: run payments migrate as a user who may change it.`,
  });
});

describe("looking at a database", () => {
  test("that is up to date writes nothing, so that no right to do so is needed", async () => {
    const { driver } = await openFile();
    const mayOnlyRead: Driver = {
      ...driver,
      write: async () => {
        throw new Error("permission denied");
      },
    };
    expect(await migrate(mayOnlyRead, newAccount())).toEqual([]);
  });

  test("that cannot be reached is not taken for looking at an empty one", async () => {
    const driver = await openDriver(temporaryFile());
    for (const failure of [new Error("connect ECONNREFUSED"), new Unavailable("locked")]) {
      const unreachable: Driver = {
        ...driver,
        read: async () => {
          throw failure;
        },
      };
      await expect(readSchema(unreachable)).rejects.toBe(failure);
      await expect(migrate(unreachable, newAccount())).rejects.toBe(failure);
    }
  });

  test.each([
    ["SQLite's words", new Error("no such table: schema_migrations")],
    ["SQL's code", Object.assign(new Error("relation does not exist"), { code: "42P01" })],
    ["a cause", new Error("refused", { cause: Object.assign(new Error(), { code: "42P01" }) })],
  ])("that is empty is told by %s", async (_, failure) => {
    const read = async () => Promise.reject(failure);
    expect(await readSchema({ read })).toEqual({
      databaseVersion: 0,
      programVersion: programMigrations.length,
      pending: programMigrations,
    });
  });
});

async function openDriver(file: string): Promise<Driver> {
  const driver = await openSqlite({ file });
  onTestFinished(async () => driver.close());
  return driver;
}

/** Work whose query of this number fails. */
function* cut<T>(work: Transaction<T>, last: number): Transaction<T> {
  let step = work.next();
  for (let queries = 1; !step.done; queries++) {
    if (queries === last) throw new Error("cut");
    step = work.next(yield step.value);
  }
  return step.value;
}

function versionsIn(file: string): unknown[] {
  return columnOf(file, "SELECT version FROM schema_migrations ORDER BY version");
}

function tablesIn(file: string): unknown[] {
  return columnOf(file, "SELECT name FROM sqlite_schema");
}

function columnOf(file: string, sql: string): unknown[] {
  const db = new DatabaseSync(file, { readOnly: true });
  const rows = db.prepare(sql).all();
  db.close();
  return rows.map((row) => Object.values(row)[0]);
}

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
