import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { insertAccount } from "../../../src/service/accounts/accounts-store.ts";
import { Unavailable } from "../../../src/runtime/failures.ts";
import { openDriver } from "../../../src/service/database/database.ts";
import {
  LockTimeout,
  queryRows,
  type Driver,
  type Transaction,
} from "../../../src/service/database/driver.ts";
import {
  createMigration,
  migrate,
  readMigrations,
  readSchema,
  requireSchema,
} from "../../../src/service/database/migrate.ts";
import { openFile } from "../../testkit/database/open-database.ts";
import { newAccount, paymentIn, readPayment } from "../../testkit/database/records.ts";
import { temporaryFile } from "../../testkit/temporary.ts";
import { allPages, atMs, scope, writeOf } from "./contract/writes.ts";

const known = readMigrations();

/** A migration's number, as its file has it. */
function toNumber(version: number): string {
  return String(version).padStart(3, "0");
}

/** The migrations of a later program: two more tables, after which programs from `oldest` on still work. */
function laterMigrations(oldest: number) {
  const text = `-- oldest program: ${oldest}\nCREATE TABLE refunds (id TEXT NOT NULL);\nCREATE TABLE disputes (id TEXT NOT NULL);\n`;
  return [...known, createMigration(`${toNumber(known.length + 1)}-refunds`, text)];
}

/** A database of this program with a payment in it, and what a later program would do to it. */
async function openOlder() {
  const opened = await openFile();
  const payment = paymentIn("succeeded", atMs);
  await opened.store.createPayment(() => writeOf(payment));
  return { ...opened, payment, later: laterMigrations(1) };
}

/** A driver whose write transactions are what a test makes of them. */
function withWrite(driver: Driver, write: Driver["write"]): Driver {
  return { ...driver, write };
}

function failWith(error: Error): Driver["write"] {
  return async () => Promise.reject(error);
}

async function emptyDriver(): Promise<Driver> {
  const driver = await openDriver(`sqlite:${temporaryFile()}`);
  onTestFinished(async () => driver.close());
  return driver;
}

function rowsIn(file: string, sql: string): unknown[] {
  const db = new DatabaseSync(file, { readOnly: true });
  const rows = db.prepare(sql).all();
  db.close();
  return rows;
}

const versionsIn = (file: string) =>
  rowsIn(file, "SELECT version FROM schema_migrations ORDER BY version").map(
    (row) => Object.values(row as object)[0],
  );

describe("a new database", () => {
  test("records each migration with its checksum, and the oldest program that works with it", async () => {
    const { file } = await openFile();
    expect(rowsIn(file, "SELECT * FROM schema_migrations ORDER BY version")).toEqual(
      known.map(({ version, name, checksum, oldestProgram }) => ({
        version,
        name: `${name}.sql`,
        checksum,
        oldest_program: oldestProgram,
      })),
    );
  });

  test("gets its schema also where migrations are not allowed", async () => {
    const driver = await emptyDriver();
    await requireSchema(driver, insertAccount(newAccount()));
    expect((await readSchema(driver)).pending).toEqual([]);
  });

  test("is recognized by SQLite's words, by SQL's code, and by the code of a cause", async () => {
    const missing = Object.assign(new Error("relation does not exist"), { code: "42P01" });
    for (const error of [
      new Error("no such table: x"),
      missing,
      new Error("no", { cause: missing }),
    ])
      expect(await readSchema({ read: async () => Promise.reject(error) })).toEqual({
        databaseVersion: 0,
        programVersion: known.length,
        pending: known,
      });
  });

  test("is not assumed where a database cannot be reached", async () => {
    const driver = await emptyDriver();
    for (const failure of [new Error("connect ECONNREFUSED"), new Unavailable("locked")]) {
      const unreachable: Driver = { ...driver, read: async () => Promise.reject(failure) };
      await expect(migrate(unreachable, insertAccount(newAccount()))).rejects.toBe(failure);
    }
  });
});

describe("a database with an older schema", () => {
  test("is migrated, and keeps its rows", async () => {
    const { driver, store, file, payment, later } = await openOlder();
    expect(await migrate(driver, insertAccount(newAccount()), later)).toEqual([later.at(-1)]);
    expect(versionsIn(file)).toEqual(later.map(({ version }) => version));
    expect(await readPayment(store, scope, payment.id)).toEqual(payment);
    expect(await store.listAccounts()).toHaveLength(1);
  });

  test("is refused where migrations are not allowed, and left as it is", async () => {
    const { driver, file, later } = await openOlder();
    await expect(requireSchema(driver, insertAccount(newAccount()), later)).rejects.toMatchObject({
      name: "Unavailable",
      message: `The database has schema version ${known.length}, and this program needs ${later.length}. Nothing was changed.`,
      hint: expect.stringContaining("payments migrate") as unknown,
    });
    expect(versionsIn(file)).toEqual(known.map(({ version }) => version));
  });

  test("is not current for a later program: a record without rows is no schema", async () => {
    const { store, driver } = await openOlder();
    expect(await store.isCurrent()).toBe(true);
    await driver.write(() =>
      queryRows("INSERT INTO schema_migrations VALUES (99, '099-later.sql', 'c', 1)", []),
    );
    expect(await store.isCurrent()).toBe(true);
    await driver.write(() => queryRows("DELETE FROM schema_migrations", []));
    expect(await store.isCurrent()).toBe(false);
  });
});

describe("a database with a newer schema", () => {
  test("is used where its migrations say that this program works with it", async () => {
    const { driver, file, later } = await openOlder();
    await migrate(driver, insertAccount(newAccount()), later);
    expect(await readSchema(driver)).toMatchObject({ databaseVersion: later.length, pending: [] });
    const { store } = await openFile({ file });
    await store.createPayment(() => writeOf(paymentIn("succeeded", atMs)));
    expect(await allPages(store)).toHaveLength(2);
  });

  test("is refused where any of its migrations says that this program is too old", async () => {
    const { driver } = await openOlder();
    const tooNew = laterMigrations(known.length + 1);
    const harmless = createMigration(
      `${toNumber(known.length + 2)}-notes`,
      "-- oldest program: 1\nCREATE TABLE notes (id TEXT);\n",
    );
    await migrate(driver, insertAccount(newAccount()), [...tooNew, harmless]);
    await expect(readSchema(driver)).rejects.toThrow(
      `The database has schema version ${known.length + 2}, but this program knows only ${known.length}. Nothing was changed. Update payments.`,
    );
  });
});

test("every migration has to say which program still works with it", () => {
  expect(() => createMigration("002-refunds", "CREATE TABLE refunds (id TEXT);")).toThrow(
    "oldest program",
  );
});

describe("a database that this program cannot use is refused at the start, and its bytes are not touched", () => {
  const unreleased = "made by a version of payments from before its first release";
  const oldRecord =
    "CREATE TABLE schema_migrations (version BIGINT PRIMARY KEY, name TEXT NOT NULL, oldest_program BIGINT)";
  test.each([
    [
      "with a record of before the first release",
      `DROP TABLE schema_migrations; ${oldRecord}`,
      unreleased,
    ],
    ["with tables and no record", "DROP TABLE schema_migrations", unreleased],
    ["with tables and an empty record", "DELETE FROM schema_migrations", unreleased],
    [
      "one of whose migrations had another text",
      "UPDATE schema_migrations SET checksum = 'c'",
      "differs from this program's",
    ],
    [
      "of a newer program",
      "INSERT INTO schema_migrations VALUES (99, '099-later.sql', 'c', 99)",
      "Update payments.",
    ],
  ])("%s", async (_, damage, message) => {
    const { file, store } = await openFile();
    await store.close();
    const db = new DatabaseSync(file);
    db.exec(`${damage}; PRAGMA journal_mode = DELETE`); // so that opening it to write would change it
    db.close();
    const before = readFileSync(file);
    const opening = openDriver(`sqlite:${file}`);
    await expect(opening).rejects.toThrow(Unavailable);
    await expect(opening).rejects.toThrow(message);
    await expect(opening).rejects.toThrow("Nothing was changed.");
    expect(readFileSync(file)).toEqual(before);
  });
});

describe("a migration that fails", () => {
  test("because another process has migrated counts as done", async () => {
    const { driver, file, later } = await openOlder();
    const late = withWrite(driver, async () => {
      await migrate(driver, insertAccount(newAccount()), later);
      throw new Error("duplicate key value violates unique constraint");
    });
    expect(await migrate(late, insertAccount(newAccount()), later)).toEqual([]);
    expect(versionsIn(file)).toEqual(later.map(({ version }) => version));
  });

  test.each([
    ["another process began it and gave up", 3, new Error("deadlock detected")],
    ["others hold a lock for long", 12, new LockTimeout("The database refuses: a lock.")],
  ])("because %s is retried until it succeeds", async (_, attempts, error) => {
    const driver = await emptyDriver();
    let tried = 0;
    const unlucky = withWrite(driver, async (work) =>
      ++tried < attempts ? Promise.reject(error) : driver.write(work),
    );
    expect(await migrate(unlucky, insertAccount(newAccount()))).toEqual(known);
    expect(tried).toBe(attempts);
  });

  test("half-way leaves the database as it was, and reports its own error", async () => {
    const { driver, file, later } = await openOlder();
    const halfWay = withWrite(driver, async (work) =>
      driver.write((mayBeWritten) => cut(work(mayBeWritten), 4)),
    );
    await expect(migrate(halfWay, insertAccount(newAccount()), later)).rejects.toThrow("cut");
    expect(versionsIn(file)).toEqual(known.map(({ version }) => version));
    expect(rowsIn(file, "SELECT 1 FROM sqlite_schema WHERE name = 'refunds'")).toEqual([]);
    expect(await migrate(driver, insertAccount(newAccount()), later)).toHaveLength(1);
  });

  const needs = `Its schema has version ${known.length}, and this program needs ${known.length + 1}:`;
  test.each([
    [
      "a lock is not released",
      new LockTimeout("The database refuses: a lock."),
      `The database refuses: a lock. ${needs} end what holds it, and run payments migrate again.`,
    ],
    [
      "the database refuses it",
      new Unavailable("The database refuses: a permission."),
      `The database refuses: a permission. ${needs} run payments migrate as a user who may change it.`,
    ],
  ])("permanently because %s says what to do", async (_, error, message) => {
    const { driver, later } = await openOlder();
    let nowMs = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (nowMs += 45_000));
    onTestFinished(() => clock.mockRestore());
    await expect(
      migrate(withWrite(driver, failWith(error)), insertAccount(newAccount()), later),
    ).rejects.toMatchObject({
      name: "Unavailable",
      message,
    });
  });
});

test("a schema that is up to date is only read, so that no right to change it is needed", async () => {
  const { driver } = await openFile();
  const readOnly = withWrite(driver, failWith(new Error("permission denied")));
  expect(await migrate(readOnly, insertAccount(newAccount()))).toEqual([]);
});

/** Work whose query of this number fails. */
function* cut<T>(work: Transaction<T>, last: number): Transaction<T> {
  let step = work.next();
  for (let queries = 1; !step.done; queries++) {
    if (queries === last) throw new Error("cut");
    step = work.next(yield step.value);
  }
  return step.value;
}
