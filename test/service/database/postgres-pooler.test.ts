import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { Unavailable } from "../../../src/runtime/failures.ts";
import { openDriver } from "../../../src/service/database/database.ts";
import { queryRows, type Driver } from "../../../src/service/database/driver.ts";
import { newDatabase, openPostgresForTest } from "../../testkit/database/open-database.ts";
import { buildMessage, startCountingProxy, startPooler } from "../../testkit/database/proxies.ts";

const ask = async (driver: Driver, n: number) =>
  driver.read(() => queryRows(`SELECT ${n}::bigint AS n`, []));

const mixedUp = {
  name: "Unavailable",
  message: expect.stringContaining("a pooler that does not support prepared statements") as string,
  hint: expect.stringContaining("PgBouncer 1.21 or later with max_prepared_statements") as string,
};

async function openForTest(url: string): Promise<Driver> {
  const driver = await openDriver(url);
  onTestFinished(async () => driver.close());
  return driver;
}

describe("a pooler", () => {
  test.each(["used last", "used first"] as const)(
    "that loses prepared statements is refused at the start, where the connection %s is next",
    async (next) => {
      const options = { per: "transaction", next, connections: 2 } as const;
      const url = await startPooler(await newDatabase(), options);
      await expect(openDriver(url)).rejects.toMatchObject(mixedUp);
      await expect(openDriver(url)).rejects.toMatchObject(mixedUp);
    },
  );

  test("with a single connection that loses them is refused at the start", async () => {
    const options = { per: "transaction", next: "used last", connections: 1 } as const;
    const url = await startPooler(await newDatabase(), options);
    await expect(openDriver(url)).rejects.toMatchObject(mixedUp);
  });

  test("with a connection for each client works", async () => {
    const options = { per: "session", next: "used first", connections: 3 } as const;
    const driver = await openForTest(await startPooler(await newDatabase(), options));
    expect(await ask(driver, 1)).toEqual([{ n: 1 }]);
  });

  test("that loses statements later is reported, and no query gets another's result", async () => {
    const options = { per: "transaction", next: "used first", connections: 2 } as const;
    const url = await startPooler(await newDatabase(), options);
    const { driver: one } = await openPostgresForTest({}, url);
    const { driver: other } = await openPostgresForTest({}, url);
    expect(await ask(one, 1)).toEqual([{ n: 1 }]);
    await one.close();
    // The driver's own queries shift the turns, so both connections may have prepared a statement.
    const goOn = async () => {
      for (const n of [2, 2, 3, 3, 4, 4, 5, 5]) expect(await ask(other, n)).toEqual([{ n }]);
    };
    await expect(goOn()).rejects.toMatchObject(mixedUp);
  });

  test("that does not know the settings of a connection is reported, with what to configure", async () => {
    const refusal = "SFATAL\0C08P01\0Munsupported startup parameter: statement_timeout\0\0";
    const server = createServer((client) => client.end(buildMessage("E", Buffer.from(refusal))));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const opening = openDriver(`postgres://payments@127.0.0.1:${port}/payments`);
    await expect(opening).rejects.toThrow(Unavailable);
    await expect(opening).rejects.toMatchObject({
      hint: expect.stringContaining(
        "ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout",
      ) as string,
    });
  });
});

test("a server without a pooler is checked once at the start", async () => {
  const { url, countRoundTrips } = await startCountingProxy(await newDatabase());
  const start = await countRoundTrips(async () => openForTest(url));
  const { driver } = await openPostgresForTest({}, url);
  expect(start).toBe(await countRoundTrips(async () => ask(driver, 1)));
});
