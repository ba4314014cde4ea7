import { copyFileSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { openDriver } from "../../../src/service/database/database.ts";
import { queryRows, type Driver, type Row } from "../../../src/service/database/driver.ts";
import { paymentIn, readPayment } from "../../testkit/database/records.ts";
import { atMs, scope, writeOf } from "./contract/writes.ts";
import { openFile } from "../../testkit/database/open-database.ts";
import { temporaryFile } from "../../testkit/temporary.ts";

async function readPragma(driver: Driver, name: string) {
  const [row = {}] = await driver.read(() => queryRows<Row>(`PRAGMA ${name}`, []));
  return Object.values(row)[0];
}

async function create({ store }: Awaited<ReturnType<typeof openFile>>) {
  const payment = paymentIn("succeeded", atMs);
  await store.createPayment(() => writeOf(payment));
  return payment;
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe("a database file", () => {
  test("is its owner's alone, with the files beside it and the folder made for it", async () => {
    const file = join(dirname(temporaryFile()), "made", "for", "payments.db");
    const { store } = await openFile({ file });
    await store.createPayment(() => writeOf(paymentIn("succeeded", atMs)));
    expect([file, `${file}-wal`, `${file}-shm`].map(modeOf)).toEqual(["600", "600", "600"]);
    expect([dirname(file), dirname(dirname(file))].map(modeOf)).toEqual(["700", "700"]);
  });

  test("is written through a log, and each commit waits for the disk", async () => {
    const { driver, file } = await openFile();
    expect(await readPragma(driver, "journal_mode")).toBe("wal");
    const full = 2;
    expect(await readPragma(driver, "synchronous")).toBe(full);
    const other = new DatabaseSync(file, { readOnly: true });
    expect(other.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
    other.close();
  });

  test("is written without a wait for the disk where rows follow from others", async () => {
    const { file } = await openFile();
    const driver = await openDriver(`sqlite:${file}`, { isDerived: true });
    const normal = 1;
    expect(await readPragma(driver, "synchronous")).toBe(normal);
    await driver.close();
  });

  test("is whole without the files beside it once it was closed", async () => {
    const { store, file } = await openFile();
    const payment = paymentIn("succeeded", atMs);
    await store.createPayment(() => writeOf(payment));
    await store.close();
    expect(() => statSync(`${file}-wal`)).toThrow("ENOENT");
    const again = await openFile({ file });
    expect(await readPayment(again.store, scope, payment.id)).toEqual(payment);
  });

  test("holds integers and text, as every other database does", async () => {
    const { driver, store } = await openFile();
    await store.createPayment(() => writeOf(paymentIn("succeeded", atMs, { amount: 2 ** 53 - 1 })));
    const sql = "SELECT typeof(amount) AS amount, typeof(payment) AS payment FROM payments";
    const types = await driver.read(() => queryRows(sql, []));
    expect(types).toEqual([{ amount: "integer", payment: "text" }]);
  });
});

describe("a database whose file", () => {
  const refusal = { message: expect.stringContaining("was moved, replaced or deleted") };
  test.each([
    { what: "was moved", change: (file: string) => renameSync(file, `${file}.moved`) },
    { what: "was deleted", change: (file: string) => rmSync(file) },
    {
      what: "was replaced",
      change: (file: string) => {
        copyFileSync(file, `${file}.copy`);
        renameSync(`${file}.copy`, file);
      },
    },
  ])("$what takes no writes and answers no reads", async ({ change }) => {
    const opened = await openFile();
    const { id } = await create(opened);
    change(opened.file);
    await expect(create(opened)).rejects.toMatchObject({ ...refusal, isPermanent: true });
    await expect(Promise.all([create(opened), create(opened)])).rejects.toMatchObject(refusal);
    await expect(readPayment(opened.store, scope, id)).rejects.toMatchObject(refusal);
  });

  test("was put back goes on, and has nothing of what was refused", async () => {
    const opened = await openFile();
    const { file, store } = opened;
    renameSync(file, `${file}.moved`);
    const refused = paymentIn("succeeded", atMs);
    await expect(store.createPayment(() => writeOf(refused))).rejects.toMatchObject(refusal);
    renameSync(`${file}.moved`, file);
    const stored = await create(opened);
    expect(await readPayment(store, scope, stored.id)).toEqual(stored);
    expect(await readPayment(store, scope, refused.id)).toBeUndefined();
  });
});

test("a database in memory has no file, and is each opening's own", async () => {
  const [one, other] = [await openFile({ file: ":memory:" }), await openFile({ file: ":memory:" })];
  const payment = paymentIn("succeeded", atMs);
  await one.store.createPayment(() => writeOf(payment));
  expect(await readPayment(one.store, scope, payment.id)).toEqual(payment);
  expect(await readPayment(other.store, scope, payment.id)).toBeUndefined();
  expect(() => statSync(":memory:")).toThrow("ENOENT");
});
