import { describe, expect, inject, onTestFinished, test } from "vitest";
import { toTokenPrefix } from "../../../src/service/payments/hosted-page-state.ts";
import { openDriver } from "../../../src/service/database/database.ts";
import { ShardUnavailable, type Driver } from "../../../src/service/database/driver.ts";
import { openStore } from "../../../src/service/server/open-service.ts";
import type { Store } from "../../../src/service/service.ts";
import { newDatabase, openEmptyDatabase } from "../../testkit/database/open-database.ts";
import { temporaryFile } from "../../testkit/temporary.ts";
import { newAccount, paymentIn } from "../../testkit/database/records.ts";
import { storeContract } from "./contract.ts";
import { atMs, claimPage, scope } from "./contract/writes.ts";
import { createRecordingDriver } from "../../testkit/database/watched-driver.ts";
import { findStatementFaults } from "../../testkit/database/statement-faults.ts";

/** The methods that the contract has called, and the statements that these have sent. */
const calledMethods = new Set<keyof Store>();
const sent = new Set<string>();

storeContract(inject("postgresUrl") ? "PostgreSQL" : "SQLite", async () => {
  const { openAnother, giveBack } = await openEmptyDatabase();
  onTestFinished(giveBack);
  return { open: async () => openObserved(await openAnother()) };
});

describe("a new database", () => {
  test("has one account, which is still its only one when it is opened again", async () => {
    const database = await newDatabase(temporaryFile());
    const first = await openStore(await openDriver(database), newAccount());
    const accounts = await first.listAccounts();
    expect(accounts).toEqual([
      {
        id: expect.stringMatching(/^acct_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/) as unknown,
        object: "account",
        name: "Default",
        default_version: "2026-11-01",
        created: 1_000,
      },
    ]);
    await first.close();
    expect(await listAccountsOf(database)).toEqual(accounts);
  });

  test("has one account, too, where several processes open it at once", async () => {
    const database = await newDatabase(temporaryFile());
    const seen = await Promise.all([1, 2, 3].map(async () => listAccountsOf(database)));
    expect(seen[0]).toHaveLength(1);
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[2]).toEqual(seen[0]);
  });
});

async function listAccountsOf(database: string) {
  const store = await openStore(await openDriver(database), newAccount());
  const accounts = await store.listAccounts();
  await store.close();
  return accounts;
}

test("every statement of a store names its account, in a form that a sharded database accepts", async () => {
  const { openAnother, giveBack } = await openEmptyDatabase();
  onTestFinished(giveBack);
  const opened = await openAnother();
  const store = await openObserved(opened);
  const stored = newAccount();
  await store.insertAccount(stored);
  await store.findAccount(stored.account.id);
  await store.renameAccount(stored.account.id, "Books & Co");
  await store.listAccounts();
  await store.isCurrent();
  await store.isWritable();
  const again = await openObserved(opened, (driver) => ({
    ...driver,
    write: async (work) => driver.write(() => work(true)),
  }));
  await claimPage(again, paymentIn("pending", atMs, { card: null }), {
    nowMs: atMs,
    untilMs: atMs + 1,
  });
  const partLost = await openObserved(opened, losingSecondRead);
  const lookedFor = partLost.findPage(`${toTokenPrefix(scope.accountId)}1`);
  await expect(lookedFor).rejects.toThrow(ShardUnavailable);
  await Promise.all([store, again, partLost].map(async (each) => each.close()));
  expect(calledMethods).toEqual(new Set(Object.keys(store)));
  const faults = [...sent].map(async (sql) => ({ sql, faults: await findStatementFaults(sql) }));
  expect((await Promise.all(faults)).filter((each) => each.faults.length > 0)).toEqual([]);
});

/** Loses the second read: the first is that of the schema's version. */
function losingSecondRead(driver: Driver): Driver {
  let reads = 0;
  const read: Driver["read"] = async (work) => {
    if (++reads === 2) throw new ShardUnavailable("A machine behind the database is lost.");
    return driver.read(work);
  };
  return { ...driver, read };
}

/** A store that records its calls and its statements. */
async function openObserved(
  opened: Driver,
  through = (driver: Driver): Driver => driver,
): Promise<Store> {
  const { driver, queries } = createRecordingDriver(opened);
  const store = await openStore(through(driver), newAccount());
  queries.length = 0; // what makes the schema is no statement on rows
  const noting = Object.entries(store).map(([name, method]: [string, Store[keyof Store]]) => [
    name,
    async (...args: never[]) => {
      calledMethods.add(name as keyof Store);
      try {
        return await (method as (...given: never[]) => Promise<unknown>)(...args);
      } finally {
        for (const { sql } of queries.splice(0)) sent.add(sql);
      }
    },
  ]);
  return Object.fromEntries(noting) as Store;
}
