import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { Unavailable } from "../../../src/runtime/failures.ts";
import {
  queryRows,
  query,
  createStatement,
  type Driver,
} from "../../../src/service/database/driver.ts";
import { openPostgres } from "../../../src/service/database/postgres.ts";
import { newDatabase, openPostgresForTest } from "../../testkit/database/open-database.ts";
import { startCountingProxy } from "../../testkit/database/proxies.ts";
import { openStore } from "../../../src/service/server/open-service.ts";
import type { Scope } from "../../../src/service/database/scope.ts";
import { newAccount, paymentIn, readPayment } from "../../testkit/database/records.ts";
import { atMs, otherAccount, scope, writeOf } from "./contract/writes.ts";

const many = 300;

async function numberOf(driver: Driver, n: number): Promise<unknown> {
  return (await driver.read(() => queryRows<{ n: number }>("SELECT $1::bigint AS n", [n])))[0]?.n;
}

const numbers = Array.from({ length: many }, (_, n) => n);

describe("reads at the same time", () => {
  test("share their round trips, and each gets its own rows", async () => {
    const { url, countRoundTrips } = await startCountingProxy(await newDatabase());
    const { driver } = await openPostgresForTest({}, url);
    await Promise.all([1, 2].map(async (n) => numberOf(driver, n))); // the connections are there
    const turns = await countRoundTrips(async () => {
      expect(await Promise.all(numbers.map(async (n) => numberOf(driver, n)))).toEqual(numbers);
    });
    expect(turns).toBeLessThan(10);
  });

  test("of requests that come one after the other in one turn share one round trip", async () => {
    const { url, countRoundTrips } = await startCountingProxy(await newDatabase());
    const { driver } = await openPostgresForTest({}, url);
    await numberOf(driver, 1); // the connection is there
    const readLater = async (n: number) => {
      for (let passed = 0; passed < n; passed++) await Promise.resolve();
      return await numberOf(driver, n);
    };
    const few = numbers.slice(0, 20);
    const turns = await countRoundTrips(async () => {
      expect(await Promise.all(few.map(readLater))).toEqual(few);
    });
    expect(turns).toBe(1);
  });

  test("look up rows of one account by one statement, and each gets its own", async () => {
    const database = await newDatabase();
    const { driver } = await openPostgresForTest({}, database);
    const store = await openStore(driver, newAccount());
    const own = Array.from({ length: 70 }, () => paymentIn("succeeded", atMs));
    const other = paymentIn("succeeded", atMs);
    await Promise.all(own.map(async (each) => store.createPayment(() => writeOf(each))));
    await store.createPayment(() => writeOf(other, { scope: otherAccount }));
    const ids = [...own, ...own, other].map(({ id }) => id).concat("pay_missing");
    const find = async (of: Scope) =>
      Promise.all(ids.map(async (id) => (await readPayment(store, of, id))?.id));
    const [mine, theirs] = await Promise.all([find(scope), find(otherAccount)]);
    expect(mine).toEqual([...ids.slice(0, -2), undefined, undefined]);
    expect(theirs).toEqual([...[...own, ...own].map(() => undefined), other.id, undefined]);
  });

  test("of one account take turns with those of another", async () => {
    const { driver } = await openPostgresForTest();
    const order: string[] = [];
    const read = async (accountId: string) => {
      await driver.read(() => queryRows("SELECT 1 AS n", []), accountId);
      order.push(accountId);
    };
    await Promise.all([...Array<string>(many).fill("a"), "b"].map(read));
    expect(order).toHaveLength(many + 1);
    // Two rounds are under way before it, and the one after its own may end first.
    expect(order.indexOf("b")).toBeLessThan(4 * 64);
  });

  test("that begin together use one connection", async () => {
    const { driver } = await openPostgresForTest();
    expect(await Promise.all([1, 2].map(async (n) => numberOf(driver, n)))).toEqual([1, 2]);
    expect(driver.pool?.().total).toBe(1);
  });

  test("may have different numbers of steps", async () => {
    const { driver } = await openPostgresForTest();
    const countTo = async (limit: number) =>
      driver.read(function* () {
        let n = 0;
        const next = () =>
          createStatement("SELECT $1::bigint + 1 AS n", [n], ([row]: { n: number }[]) => row?.n);
        while (n < limit) n = (yield* query(next())) ?? Infinity;
        return n;
      });
    const limits = numbers.slice(0, 20);
    expect(await Promise.all(limits.map(countTo))).toEqual(limits);
  });

  test("fail by themselves: an error of the database, a value that cannot be read, an error of the caller", async () => {
    const { driver } = await openPostgresForTest();
    const broken: Record<number, () => Promise<unknown>> = {
      7: async () => driver.read(() => queryRows("SELECT nothing", [])),
      70: async () => driver.read(() => queryRows("SELECT 9007199254740993::bigint AS n", [])),
      170: async () =>
        driver.read(function* () {
          yield* queryRows("SELECT 1 AS n", []);
          throw new Error("my own");
        }),
    };
    const outcomes = await Promise.all(
      numbers.map(async (n) =>
        (broken[n]?.() ?? numberOf(driver, n)).catch((error: Error) => error.message),
      ),
    );
    expect(outcomes.filter((outcome, n) => outcome !== n)).toEqual([
      expect.stringContaining("nothing"),
      expect.stringContaining("9007199254740993"),
      "my own",
    ]);
  });

  test("are all refused where the database does not answer", async () => {
    let connections = 0;
    const silent = createServer(() => void connections++).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    const driver = openPostgres(`postgres://nobody@127.0.0.1:${port}/nowhere`);
    const outcomes = await Promise.allSettled(numbers.map(async (n) => numberOf(driver, n)));
    for (const { reason } of outcomes as PromiseRejectedResult[])
      expect(reason).toBeInstanceOf(Unavailable);
    expect(connections).toBe(2);
    await driver.close();
    silent.close();
  });

  test("are refused once 1,064 are waiting", async () => {
    const { driver } = await openPostgresForTest();
    const slow: Promise<unknown>[] = [];
    while (slow.length < 2) {
      slow.push(driver.read(() => queryRows("SELECT pg_sleep(0.5)", [])));
      await setImmediate(); // what begins later has a connection of its own
    }
    const waiting = Array.from({ length: 1_064 }, async (_, n) => numberOf(driver, n));
    await expect(numberOf(driver, 0)).rejects.toThrow("too many requests wait");
    expect(await Promise.all(waiting)).toEqual(Array.from({ length: 1_064 }, (_, n) => n));
    await Promise.all(slow);
  });
});
