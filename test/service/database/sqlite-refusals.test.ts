import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { Unavailable } from "../../../src/runtime/failures.ts";
import { paymentIn, readPayment } from "../../testkit/database/records.ts";
import { allPages, atMs, scope, writeOf } from "./contract/writes.ts";
import { openFile } from "../../testkit/database/open-database.ts";
import { temporaryFile } from "../../testkit/temporary.ts";

afterEach(() => {
  vi.useRealTimers();
});

describe("opening", () => {
  test.each([
    ["a short text", "Dear Sir or Madam,"],
    ["a long text", "Dear Sir or Madam, ".repeat(1_000)],
  ])("%s is refused as no database, and leaves it as it is", async (_, text) => {
    const file = temporaryFile();
    writeFileSync(file, text);
    expect(await refusalOf(file)).toMatch(/^Unavailable: .*not a SQLite database/);
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  test("an empty file makes a database of it", async () => {
    const file = temporaryFile();
    writeFileSync(file, "");
    const { store } = await openFile({ file });
    expect(await allPages(store)).toEqual([]);
  });

  test("a folder is refused", async () => {
    const file = temporaryFile();
    mkdirSync(file);
    expect(await refusalOf(file)).toMatch(/^Unavailable: .*it is a folder/);
  });

  test("a file whose folder cannot be made is refused", async () => {
    const noFolder = temporaryFile();
    writeFileSync(noFolder, "");
    expect(await refusalOf(join(noFolder, "payments.db"))).toMatch(
      /^Unavailable: .*a part of its path is not a folder/,
    );
    expect(await refusalOf(join(noFolder, "below", "payments.db"))).toMatch(
      /^Unavailable: .*a part of its path is not a folder/,
    );
  });

  test("a damaged file says so", async () => {
    const { file, store } = await openFile();
    const payments = Array.from({ length: 400 }, () => paymentIn("succeeded", atMs));
    await Promise.all(payments.map(async (payment) => store.createPayment(() => writeOf(payment))));
    await store.close();
    const bytes = readFileSync(file);
    bytes.fill(0xa5, bytes.length / 2); // behind the schema
    writeFileSync(file, bytes);
    const damaged = await openFile({ file });
    await expect(allPages(damaged.store)).rejects.toThrow(/damaged; restore it from a backup/);
    await expect(allPages(damaged.store)).rejects.toThrow(Unavailable);
  });
});

describe("while another process holds the database's lock", () => {
  test("opening a new database waits for it", async () => {
    const file = temporaryFile();
    const release = lock(file);
    const opening = openFile({ file });
    await delay(150);
    release();
    expect(await allPages((await opening).store)).toEqual([]);
  });

  test("a write waits for it, and reads go on", async () => {
    const { file, store } = await openFile();
    const release = lock(file);
    const payment = paymentIn("succeeded", atMs);
    const writing = store.createPayment(() => writeOf(payment));
    for (let turn = 0; turn < 5; turn++) {
      expect(await readPayment(store, scope, payment.id)).toBeUndefined();
      await delay(30);
    }
    release();
    expect(await writing).toEqual({ outcome: "written" });
    expect(await readPayment(store, scope, payment.id)).toEqual(payment);
  });

  test("a write gives up after ten seconds, and the next one works", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const { file, store } = await openFile();
    const release = lock(file);
    const payment = paymentIn("succeeded", atMs);
    const writing = store.createPayment(() => writeOf(payment)).catch((reason: unknown) => reason);
    let error: unknown = "none yet";
    while (error === "none yet") {
      vi.advanceTimersByTime(10_001); // when it has begun to wait is not seen from here
      error = await Promise.race([writing, delay(20, "none yet")]);
    }
    expect(error).toBeInstanceOf(Unavailable);
    expect(error).toMatchObject({ message: expect.stringContaining("locked it for too long") });
    release();
    expect(await store.createPayment(() => writeOf(payment))).toEqual({ outcome: "written" });
  });
});

test("a write of a process that was suspended meanwhile is refused, not made later", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const { file, store } = await openFile();
  const release = lock(file);
  const [late, next] = [paymentIn("succeeded", atMs), paymentIn("succeeded", atMs)];
  const writing = store.createPayment(() => writeOf(late));
  vi.advanceTimersByTime(16_000);
  release();
  await expect(writing).rejects.toThrow("has waited too long");
  expect(await store.createPayment(() => writeOf(next))).toEqual({ outcome: "written" });
  expect(await readPayment(store, scope, late.id)).toBeUndefined();
});

/** The name and message of the error of opening a file. */
async function refusalOf(file: string): Promise<string> {
  return await openFile({ file }).then(
    () => "opened",
    (error: unknown) => String(error),
  );
}

/** Locks a file by another connection until the lock is released. */
function lock(file: string): () => void {
  const other = new DatabaseSync(file);
  onTestFinished(() => other.close());
  other.exec("BEGIN IMMEDIATE");
  return () => other.exec("COMMIT");
}
