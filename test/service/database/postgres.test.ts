import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { describe, expect, onTestFinished, test, type TestContext } from "vitest";
import { ConfigError, Unavailable } from "../../../src/runtime/failures.ts";
import { define, queryRows, type Driver } from "../../../src/service/database/driver.ts";
import { openPostgres } from "../../../src/service/database/postgres.ts";
import {
  addParameters,
  newDatabase,
  openPostgresForTest,
} from "../../testkit/database/open-database.ts";

const first = async (driver: Driver, sql: string, params: (string | number)[] = []) =>
  (await driver.read(() => queryRows(sql, params)))[0];

async function openWithCounters(parameters: Record<string, string>, context?: TestContext) {
  const { driver, database } = await openPostgresForTest(parameters, undefined, context);
  for (const sql of [
    "CREATE TABLE counters (id TEXT PRIMARY KEY, n BIGINT NOT NULL)",
    "INSERT INTO counters VALUES ('a', 0), ('b', 0)",
  ])
    await driver.write(() => queryRows(sql, []));
  return { driver, database };
}

/** Locks the counters until a test releases them. */
async function lockCounters(database: string) {
  const client = new Client(database);
  await client.connect();
  await client.query("BEGIN; LOCK TABLE counters IN EXCLUSIVE MODE");
  return {
    /** The number of waiting statements. */
    waiting: async () => {
      const sql = "SELECT pid FROM pg_locks WHERE relation = 'counters'::regclass AND NOT granted";
      return (await client.query(sql)).rowCount;
    },
    letGo: async () => {
      await client.query("COMMIT");
      await client.end();
    },
  };
}

describe("a 64-bit integer", () => {
  test.each([0, -1, 2 ** 53 - 1, -(2 ** 53 - 1)])("is read as it was written: %d", async (n) => {
    const { driver } = await openWithCounters({});
    await driver.write(() => queryRows("UPDATE counters SET n = $1", [n]));
    expect(await first(driver, "SELECT n FROM counters")).toEqual({ n });
  });

  test("that a number cannot hold is refused, never rounded", async () => {
    const { driver } = await openPostgresForTest();
    const large = first(driver, "SELECT 9007199254740993::bigint AS n");
    await expect(large).rejects.toThrow("9007199254740993");
    expect(await first(driver, "SELECT 1::bigint AS n")).toEqual({ n: 1 });
  });
});

describe("a transaction", () => {
  test.each([
    { isDerived: false, waits: "on" },
    { isDerived: true, waits: "off" },
  ])("of rows that follow from others ($isDerived) waits for the disk: $waits", async (each) => {
    const { database } = await openPostgresForTest();
    const url = addParameters(database, { options: "-c synchronous_commit=on" });
    const driver = openPostgres(url, undefined, { isDerived: each.isDerived });
    onTestFinished(async () => driver.close());
    const sql = "SELECT current_setting('synchronous_commit') AS waits";
    expect(await driver.write(() => queryRows(sql, []))).toEqual([{ waits: each.waits }]);
    expect(await first(driver, sql)).toEqual({ waits: "on" });
  });

  test("of one account waits for at most one of another account", async () => {
    const { driver } = await openPostgresForTest({ pool_max_conns: "1" });
    const order: string[] = [];
    const write = async (accountId: string) => {
      await driver.write(() => queryRows("SELECT pg_sleep(0.001)", []), accountId);
      order.push(accountId);
    };
    await Promise.all(["a", "a", "a", "a", "b", "b"].map(write));
    expect(order).toEqual(["a", "b", "a", "b", "a", "a"]);
  });

  test("that conflicts with others is retried until it succeeds", async () => {
    const options = "-c default_transaction_isolation=serializable";
    const { driver, database } = await openWithCounters({ options });
    const lock = await lockCounters(database); // so that each has read before one has written
    let tries = 0;
    const increment = async () =>
      driver.write(function* () {
        tries++;
        const [row] = yield* queryRows<{ n: number }>("SELECT n FROM counters WHERE id = 'a'", []);
        const next = (row?.n ?? 0) + 1;
        yield* queryRows("UPDATE counters SET n = $1 WHERE id = 'a'", [next]);
        return next;
      });
    const incrementing = Promise.all([1, 2, 3, 4].map(increment));
    await expect.poll(async () => lock.waiting()).toBe(4);
    await lock.letGo();
    const answers = await incrementing;
    expect(new Set(answers)).toEqual(new Set([1, 2, 3, 4]));
    expect(tries).toBeGreaterThan(4);
  });

  test("in a deadlock is retried", async () => {
    const { driver } = await openWithCounters({ options: "-c deadlock_timeout=50ms" });
    const both = async (ids: string[]) =>
      driver.write(function* () {
        for (const id of ids) {
          yield* queryRows("UPDATE counters SET n = n + 1 WHERE id = $1", [id]);
          yield* queryRows("SELECT pg_sleep(0.02)", []);
        }
      });
    await Promise.all([both(["a", "b"]), both(["b", "a"]), both(["a", "b"]), both(["b", "a"])]);
    const rows = await driver.read(() => queryRows("SELECT n FROM counters", []));
    expect(rows).toEqual([{ n: 4 }, { n: 4 }]);
  });

  test("that is always in conflict is abandoned after 8 retries", async () => {
    const { driver } = await openPostgresForTest();
    let tries = 0;
    const writing = driver.write(function* () {
      tries++;
      yield* queryRows("DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '40001'; END $$", []);
    });
    await expect(writing).rejects.toThrow(Unavailable);
    expect(tries).toBe(9);
  });

  test.each(["40003", "57P01"])(
    "whose outcome is unknown is retried, as a retry: %s",
    async (code) => {
      const { driver } = await openWithCounters({});
      const again: boolean[] = [];
      const done = await driver.write(function* (mayBeWritten) {
        again.push(mayBeWritten);
        const fails =
          code === "57P01"
            ? "SELECT pg_terminate_backend(pg_backend_pid())"
            : `DO $$ BEGIN RAISE EXCEPTION 'unknown' USING ERRCODE = '${code}'; END $$`;
        if (!mayBeWritten) yield* queryRows(fails, []);
        return "done";
      });
      expect([done, ...again]).toEqual(["done", false, true]);
    },
  );

  test("whose COMMIT may have reached a machine behind the database is retried, as a retry", async () => {
    const { driver } = await openWithCounters({});
    for (const sql of [
      "CREATE SEQUENCE commits",
      `CREATE FUNCTION fail_once() RETURNS TRIGGER LANGUAGE plpgsql AS
       $$ BEGIN IF nextval('commits') = 1 THEN RAISE EXCEPTION 'gone' USING ERRCODE = '08006'; END IF; RETURN NULL; END $$`,
      `CREATE CONSTRAINT TRIGGER at_commit AFTER UPDATE ON counters DEFERRABLE INITIALLY DEFERRED
       FOR EACH ROW EXECUTE FUNCTION fail_once()`,
    ])
      await driver.write(() => queryRows(sql, []));
    const again: boolean[] = [];
    await driver.write(function* (mayBeWritten) {
      again.push(mayBeWritten);
      yield* queryRows("UPDATE counters SET n = n + 1 WHERE id = 'a'", []);
    });
    expect(again).toEqual([false, true]);
    expect(await first(driver, "SELECT n FROM counters WHERE id = 'a'")).toEqual({ n: 1 });
  });

  test.each(["08000", "08001", "08003", "08006", "53100", "53300", "57P03", "58030"])(
    "that a database refuses for lack of something is not retried, and its connection goes on: %s",
    async (code) => {
      const { driver } = await openPostgresForTest({ pool_max_conns: "1" });
      const connection = async () => first(driver, "SELECT pg_backend_pid() AS pid");
      const before = await connection();
      let tries = 0;
      const writing = driver.write(function* () {
        tries++;
        yield* queryRows(`DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '${code}'; END $$`, []);
      });
      await expect(writing).rejects.toThrow(Unavailable);
      expect([tries, await connection()]).toEqual([1, before]);
    },
  );

  test("that fails leaves nothing behind, and its connection goes on", async () => {
    const { driver } = await openWithCounters({ pool_max_conns: "1" });
    const failing = driver.write(function* () {
      yield* queryRows("UPDATE counters SET n = 7", []);
      throw new Error("It fails half-way.");
    });
    await expect(failing).rejects.toThrow("It fails half-way.");
    const wrong = driver.write(() => queryRows("UPDATE counters SET nothing = 7", []));
    await expect(wrong).rejects.toThrow("nothing");
    expect(await first(driver, "SELECT SUM(n)::bigint AS n FROM counters")).toEqual({ n: 0 });
  });
});

// These tests only wait, so they run concurrently.
describe.concurrent("a timeout", () => {
  test("for a statement that is not answered in 3 s, but not for one that changes the schema", async (context) => {
    const { driver } = await openWithCounters({}, context);
    const makeTable = driver.write(function* () {
      yield* define("CREATE TABLE slowly AS SELECT 1 AS n FROM pg_sleep(4)");
      return "made";
    });
    await expect(first(driver, "SELECT 1 AS n FROM pg_sleep(60)")).rejects.toThrow(Unavailable);
    expect(await makeTable).toBe("made");
  });

  test("for statements, which also end in the database, so that connections do not pile up", async (context) => {
    const name = "given up";
    const parameters = { pool_max_conns: "3", application_name: name };
    const { driver, database } = await openWithCounters(parameters, context);
    const { driver: admin } = await openPostgresForTest({}, database, context);
    const lock = await lockCounters(database);
    const answers: unknown[] = [];
    const asking = Array.from({ length: 6 }, async () => {
      while (answers.length <= 6)
        await driver
          .write(() => queryRows("UPDATE counters SET n = n + 1", []))
          .catch((error: unknown) => answers.push(error));
    });
    const sql = "SELECT COUNT(*) AS n FROM pg_stat_activity WHERE application_name = $1";
    while (answers.length <= 6) {
      const [row] = await admin.read(() => queryRows<{ n: number }>(sql, [name]));
      expect(row?.n).toBeLessThanOrEqual(6);
      await delay(200);
    }
    await lock.letGo();
    await Promise.all(asking);
    for (const error of answers) expect(error).toBeInstanceOf(Unavailable);
  });

  test("for a connection after 2 s, and the queue has a limit", async (context) => {
    const { driver, database } = await openWithCounters({ pool_max_conns: "1" }, context);
    const lock = await lockCounters(database);
    const ask = async () => driver.write(() => queryRows("SELECT 1", []));
    const slow = driver.write(function* () {
      // With the timeouts of a transaction that works, not of one that changes the schema.
      yield* define("DO $$ BEGIN SET LOCAL lock_timeout = 0; LOCK TABLE counters; END $$");
      return "locked";
    });
    const waiting = Array.from({ length: 1_100 }, ask);
    await expect(waiting.at(-1)).rejects.toThrow("too many requests wait");
    const outcomes = await Promise.allSettled(waiting);
    for (const { reason } of outcomes as PromiseRejectedResult[])
      expect(reason).toBeInstanceOf(Unavailable);
    await lock.letGo();
    expect(await slow).toBe("locked");
    expect(await ask()).toBeDefined();
  });
});

describe("a connection", () => {
  const terminateOthers =
    "SELECT COUNT(pg_terminate_backend(pid)) AS n FROM pg_stat_activity WHERE application_name = $1";

  const sleepers =
    "SELECT pid FROM pg_stat_activity WHERE application_name = $1 AND wait_event = 'PgSleep'";

  async function openNamed(name: string) {
    const { driver, database } = await openPostgresForTest({ application_name: name });
    const { driver: admin } = await openPostgresForTest({}, database);
    return {
      driver,
      end: async () => first(admin, terminateOthers, [name]),
      isAsleep: async () => (await first(admin, sleepers, [name])) !== undefined,
    };
  }

  test("that is lost while idle is replaced", async () => {
    const { driver, end } = await openNamed("unused");
    const ask = async () => driver.write(() => queryRows("SELECT 1::bigint AS n", []));
    await Promise.all([ask(), ask(), ask()]);
    expect(await end()).toEqual({ n: 3 });
    expect(await Promise.all([ask(), ask(), ask()])).toEqual([[{ n: 1 }], [{ n: 1 }], [{ n: 1 }]]);
  });

  test("that is lost in use is replaced, and its query is retried", async () => {
    const { driver, end, isAsleep } = await openNamed("used");
    const slow = first(driver, "SELECT 1::bigint AS n FROM pg_sleep(1)");
    await expect.poll(isAsleep).toBe(true);
    expect(await end()).toEqual({ n: 1 });
    expect(await slow).toEqual({ n: 1 });
  });
});

describe("a database that cannot be used", () => {
  const cases: [what: string, change: (url: URL) => void, reason: string][] = [
    ["is not there", (url) => (url.port = "1"), "ECONNREFUSED"],
    ["does not exist", (url) => (url.pathname = "/nowhere"), "there is no such database"],
    ["refuses the password", (url) => (url.password = "wrong-secret"), "password is refused"],
    [
      "is read-only",
      (url) => url.searchParams.append("options", "-c default_transaction_read_only=on"),
      "read-only",
    ],
  ];
  test.each(cases)("because it %s says so, without its password", async (_, change, reason) => {
    const url = new URL(await newDatabase());
    change(url);
    const driver = openPostgres(url.href);
    const writing = driver.write(() => queryRows("CREATE TABLE t (id BIGINT)", []));
    const error = await writing.then(
      () => undefined,
      (thrown: unknown) => thrown as Error,
    );
    await driver.close();
    expect(error).toBeInstanceOf(Unavailable);
    expect(error?.message).toContain(reason);
    expect(error?.message).not.toMatch(/secret|postgres:\/\//);
  });

  test.each([
    ["pool_max_conns=0", "pool_max_conns"],
    ["pool_max_conns=-1", "pool_max_conns"],
    ["pool_max_conns=ten", "pool_max_conns"],
    ["sslmod=verify-full", "does not exist: sslmod. There are sslmode, sslrootcert,"],
    ["sslmode=require&SSLMODE=verify-full", "does not exist: SSLMODE. "],
    ["pool_max_conn=3", "does not exist: pool_max_conn. "],
    ["secret1", "does not exist. There are sslmode"],
    ["sslmode=", "sslmode in the database's URL must be one of disable, "],
    ["sslmode=verify_full", "sslmode in the database's URL must be one of disable, "],
  ])("because its URL says %s, which never works, says so at once", (parameters, reason) => {
    const open = () => openPostgres(urlWithParameters(parameters));
    expect(open).toThrow(ConfigError);
    expect(open).toThrow(reason);
    expect(open).not.toThrow("secret");
  });

  test.each([
    ["sslmode=verify-full&sslrootcert=/nowhere.pem", "/nowhere.pem"],
    ["sslmode=verify-ca", "sslrootcert"],
  ])("because of a file, with %s, says so at once", (parameters, reason) => {
    const open = () => openPostgres(urlWithParameters(parameters));
    expect(open).toThrow(Unavailable);
    expect(open).toThrow(reason);
    expect(open).not.toThrow("secret");
  });

  test("can be closed, twice", async () => {
    const driver = openPostgres(addParameters("postgres://nobody@127.0.0.1:1/nowhere", {}));
    await driver.close();
    await expect(driver.close()).resolves.toBeUndefined();
  });
});

function urlWithParameters(parameters: string): string {
  return `postgres://u:secret@127.0.0.1:1/d?${parameters}`;
}
