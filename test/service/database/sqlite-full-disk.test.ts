import { describe, expect, onTestFinished, test, vi } from "vitest";
import { insertAccount } from "../../../src/service/accounts/accounts-store.ts";
import type { Payment } from "../../../src/service/payments/payment-state.ts";
import { Unavailable } from "../../../src/runtime/failures.ts";
import { queryRows, type Driver } from "../../../src/service/database/driver.ts";
import { migrate } from "../../../src/service/database/migrate.ts";
import { openSqlite } from "../../../src/service/database/sqlite.ts";
import { unusableFileError } from "../../../src/service/database/sqlite-errors.ts";
import { newAccount, paymentIn, peekDue, readPayment } from "../../testkit/database/records.ts";
import { allPages, atMs, scope, simulatedCharge, writeOf } from "./contract/writes.ts";
import { openFile } from "../../testkit/database/open-database.ts";
import { temporaryFile } from "../../testkit/temporary.ts";

const maxPages = 90;
const largePayment = () => paymentIn("succeeded", atMs, { description: "x".repeat(3_000) });

/** A store whose disk is full, and the payments that were answered before it was. */
async function openFull() {
  const opened = await openFile({ maxPages });
  const waiting = paymentIn("pending", atMs);
  await opened.store.createPayment(() => writeOf(waiting, { charge: simulatedCharge(atMs) }));
  const stored: Payment[] = [waiting];
  while (stored.length <= maxPages) {
    const payment = largePayment();
    try {
      await opened.store.createPayment(() => writeOf(payment));
    } catch (error) {
      return { ...opened, waiting, stored: stored.toReversed(), refused: payment, error };
    }
    stored.push(payment);
  }
  throw new Error("The disk never was full.");
}

describe("when the disk is full", () => {
  test("a write says so, and that nothing was written", async () => {
    const { error, store, refused } = await openFull();
    expect(error).toBeInstanceOf(Unavailable);
    expect(error).toMatchObject({ message: expect.stringContaining("the disk is full") });
    expect(await readPayment(store, scope, refused.id)).toBeUndefined();
  });

  test("the error is permanent, and says what to do: a retry would not help", async () => {
    const { error } = await openFull();
    expect(error).toMatchObject({
      isPermanent: true,
      hint: "Make room on its disk, or name another database with --database.",
    });
  });

  test("so does each of the writes that were made at the same time", async () => {
    const { store } = await openFull();
    const writes = [1, 2, 3].map(async () => store.createPayment(() => writeOf(largePayment())));
    for (const { reason } of (await Promise.allSettled(writes)) as { reason?: unknown }[])
      expect(reason).toBeInstanceOf(Unavailable);
  });

  test("a write that still fits is committed beside one that does not", async () => {
    const { store, waiting } = await openFull();
    const charge = { dueAtMs: atMs + 50 };
    const small = store.updateCharge({ scope, paymentId: waiting.id, from: "charge", charge });
    const large = store.createPayment(() => writeOf(largePayment(), { key: "k" }));
    await expect(large).rejects.toThrow(Unavailable);
    await small;
    expect(await peekDue(store, atMs + 49, 10)).toEqual([]);
    expect(await peekDue(store, atMs + 50, 10)).toHaveLength(1);
    expect(await store.findStoredResponse(scope, "k", atMs)).toBeUndefined();
  });

  test("all that was acknowledged before is intact and can be read", async () => {
    const { store, driver, stored } = await openFull();
    expect(stored.length).toBeGreaterThan(5);
    expect(await allPages(store)).toEqual(stored);
    const [check] = await driver.read(() => queryRows("PRAGMA integrity_check", []));
    expect(check).toEqual({ integrity_check: "ok" });
  });

  test("it is not writable, also after a write that still fits, until there is room again", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const { store, driver, waiting } = await openFull();
    expect(await store.isWritable()).toBe(false);
    const charge = { dueAtMs: atMs + 50 };
    await store.updateCharge({ scope, paymentId: waiting.id, from: "charge", charge });
    expect(await store.isWritable()).toBe(false);

    await driver.read(() => queryRows(`PRAGMA max_page_count = ${100 * maxPages}`, []));
    expect(await store.isWritable()).toBe(false); // it was tried a moment ago
    vi.advanceTimersByTime(1_000);
    expect(await store.isWritable()).toBe(true);
    expect(await store.createPayment(() => writeOf(largePayment()))).toMatchObject({
      outcome: "written",
    });
  });

  test("a write that has worked again is enough to try at once", async () => {
    const { store, driver } = await openFull();
    expect(await store.isWritable()).toBe(false);
    await driver.read(() => queryRows(`PRAGMA max_page_count = ${100 * maxPages}`, []));
    await store.createPayment(() => writeOf(largePayment()));
    expect(await store.isWritable()).toBe(true);
  });

  test("writes work again once there is space", async () => {
    const { driver, file, stored, refused } = await openFull();
    await driver.close();
    const { store } = await openFile({ file });
    expect(await store.createPayment(() => writeOf(refused))).toEqual({ outcome: "written" });
    expect(await allPages(store)).toEqual([refused, ...stored]);
  });
});

test("a file that has become read-only is not writable until it is again", async () => {
  const { store, driver } = await openFile();
  const pay = async () => store.createPayment(() => writeOf(largePayment()));
  const setReadOnly = async (isOn: number) =>
    driver.read(() => queryRows(`PRAGMA query_only = ${isOn}`, []));
  await setReadOnly(1);
  await expect(pay()).rejects.toThrow("it is read-only");
  expect(await store.isWritable()).toBe(false);
  await setReadOnly(0);
  await pay();
  expect(await store.isWritable()).toBe(true);
});

test("a refusal of the write's own says nothing about the disk", async () => {
  const { store, driver } = await openFile();
  const write = driver.write(() => queryRows("INSERT INTO no_such_table VALUES (1)", []));
  await expect(write).rejects.toThrow("no such table");
  expect(await store.isWritable()).toBe(true);
  expect(await driver.read(() => queryRows("PRAGMA freelist_count", []))).toEqual([
    { freelist_count: 0 }, // nothing was tried
  ]);
});

test("a disk too full for the schema is reported as such, without a retry", async () => {
  const driver = await openSqlite({ file: temporaryFile() });
  await driver.read(() => queryRows("PRAGMA max_page_count = 3", []));
  onTestFinished(async () => driver.close());
  let tries = 0;
  const counting: Driver = {
    ...driver,
    write: async (work) => {
      tries++;
      return await driver.write(work);
    },
  };
  await expect(migrate(counting, insertAccount(newAccount()))).rejects.toMatchObject({
    message: "The database refuses: the disk is full; nothing was written.",
    hint: expect.stringContaining("Make room") as unknown,
  });
  expect(tries).toBe(1);
});

test("no room for the file of locks beside the database is a full disk too", () => {
  const error = Object.assign(new Error("disk I/O error"), { errcode: 4874 });
  expect(unusableFileError("payments.db", error)).toMatchObject({
    message: "The database payments.db cannot be used: the disk is full; nothing was written.",
    isPermanent: true,
  });
  const other = Object.assign(new Error("disk I/O error"), { errcode: 10 });
  expect(unusableFileError("payments.db", other)).toMatchObject({
    message: "The database payments.db cannot be used: the disk reported an error.",
    isPermanent: false,
  });
});
