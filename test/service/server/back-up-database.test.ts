import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createInterface } from "node:readline";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { Unavailable } from "../../../src/runtime/failures.ts";
import type { Store } from "../../../src/service/service.ts";
import { backUp } from "../../../src/service/server/back-up-database.ts";
import { readMigrations } from "../../../src/service/database/migrate.ts";
import { fillNewFile } from "../../../src/service/database/new-file.ts";
import { recordNodeEnvironment } from "../../testkit/command/run-payments.ts";
import { paymentIn } from "../../testkit/database/records.ts";
import { allPages, atMs, writeOf } from "../database/contract/writes.ts";
import { openFile } from "../../testkit/database/open-database.ts";
import { temporaryFile } from "../../testkit/temporary.ts";

const program = new URL("../database/write-payments.ts", import.meta.url).pathname;
const newestSchema = readMigrations().length;
const neverAborted = new AbortController().signal;

async function writeMany(store: Store, count: number, description = ""): Promise<string[]> {
  const payments = Array.from({ length: count }, () =>
    paymentIn("succeeded", atMs, { description }),
  );
  await Promise.all(payments.map(async (payment) => store.createPayment(() => writeOf(payment))));
  return payments.map(({ id }) => id);
}

/** A closed database with payments, and a path for its backup. */
async function databaseWith(count: number, description?: string) {
  const { file, store } = await openFile();
  const ids = await writeMany(store, count, description);
  await store.close();
  return { file, ids, target: join(dirname(file), "backup.db") };
}

/** The error of a refused backup, and the files in its folder. */
async function refusalOf(file: string, target: string) {
  const folder = dirname(target);
  const inFolder = () => (isFolder(folder) ? readdirSync(folder) : []);
  const before = inFolder();
  const error = await backUp(file, target, neverAborted).then(
    () => new Error("It was made."),
    (refusal: unknown) => refusal,
  );
  return { error, left: inFolder().filter((name) => !before.includes(name)) };
}

describe("a backup", () => {
  test("is checked by a process without the environment's API key and database", async () => {
    const { file, target } = await databaseWith(1);
    const { NODE_OPTIONS, read } = recordNodeEnvironment();
    vi.stubEnv("NODE_OPTIONS", NODE_OPTIONS);
    vi.stubEnv("PAYMENTS_API_KEY", "secret");
    vi.stubEnv("PGPASSWORD", "secret");
    onTestFinished(() => void vi.unstubAllEnvs());
    await backUp(file, target, neverAborted);
    expect(read()).toMatchObject({ NODE_OPTIONS });
    expect(JSON.stringify(read())).not.toContain('"secret"');
  });

  test("is the database in one file that only its owner can read", async () => {
    const { file, ids, target } = await databaseWith(20);
    expect(await backUp(file, target, neverAborted)).toEqual({
      payments: 20,
      schemaVersion: newestSchema,
      sizeBytes: statSync(target).size,
    });
    expect(statSync(target).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(target)).toSorted()).toEqual(["backup.db", basename(file)]);
    const { store } = await openFile({ file: target });
    expect((await allPages(store)).map(({ id }) => id)).toEqual(ids.toSorted().toReversed());
  });

  test("includes what a killed process has left in its -wal file", async () => {
    const { file, target } = await databaseWith(5);
    const child = spawn(process.execPath, [program, file, "100000"]);
    const acknowledged: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      if (line.startsWith("pay_")) acknowledged.push(line);
      if (acknowledged.length === 50) child.kill("SIGKILL");
    }
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
    const { payments } = await backUp(file, target, neverAborted);
    expect(payments).toBeGreaterThanOrEqual(55);
    const { store } = await openFile({ file: target });
    const stored = new Set((await allPages(store)).map(({ id }) => id));
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
  });

  test("follows a link to the database", async () => {
    const { file, target } = await databaseWith(3);
    const link = join(dirname(file), "link.db");
    symlinkSync(file, link);
    expect(await backUp(link, target, neverAborted)).toMatchObject({ payments: 3 });
  });
});

test("while processes write without a pause two concurrent backups end, each complete up to its beginning", async () => {
  const { file, ids } = await databaseWith(1_500, "x".repeat(800));
  const acknowledged = [...ids];
  const writers = [1, 2].map(() => spawn(process.execPath, [program, file, "1000000"]));
  onTestFinished(() => {
    for (const writer of writers) writer.kill("SIGKILL");
  });
  const { promise: haveBegun, resolve: begin } = Promise.withResolvers<void>();
  for (const writer of writers) {
    createInterface({ input: writer.stdout }).on("line", (line) => {
      if (line.startsWith("pay_") && acknowledged.push(line) === ids.length + 200) begin();
    });
  }
  await haveBegun;
  const before = [...acknowledged];
  const targets = ["one.db", "two.db"].map((name) => join(dirname(file), name));
  await Promise.all(targets.map(async (target) => backUp(file, target, neverAborted)));
  expect(acknowledged.length - before.length).toBeGreaterThan(0); // no writer had to wait for the backups to end
  for (const writer of writers) {
    expect(writer.exitCode).toBeNull();
    writer.kill("SIGKILL");
    await once(writer, "close");
  }
  for (const target of targets) {
    const { store } = await openFile({ file: target });
    const stored = new Set((await allPages(store)).map(({ id }) => id));
    expect(before.filter((id) => !stored.has(id))).toEqual([]);
    await store.close();
  }
});

test("commits of another process between its steps are neither waited for nor included", async () => {
  const { file, target } = await databaseWith(1_200, "x".repeat(8_000));
  const other = new DatabaseSync(file);
  onTestFinished(() => other.close());
  let steps = 0;
  const everyStep = Object.assign(new AbortController().signal, {
    throwIfAborted: () => {
      if (++steps > 100) throw new Error("It does not get on.");
      other.exec("DELETE FROM payments WHERE id = (SELECT MIN(id) FROM payments)");
    },
  });
  expect(await backUp(file, target, everyStep)).toMatchObject({ payments: 1_200 });
  expect(steps).toBeGreaterThan(2);
});

describe("a backup is refused, with nothing left behind", () => {
  test("of a missing database, which is not created", async () => {
    const file = temporaryFile();
    const { error, left } = await refusalOf(file, join(dirname(file), "backup.db"));
    expect(error).toBeInstanceOf(Unavailable);
    expect(error).toMatchObject({
      message: `There is no database of payments at sqlite:${file}. None was made.`,
    });
    expect(left).toEqual([]);
  });

  test.each([
    ["text", (file: string) => writeFileSync(file, "Dear Sir or Madam, ".repeat(1_000))],
    ["none", (file: string) => writeFileSync(file, "")],
    ["a folder", (file: string) => mkdirSync(file)],
    ["another program's database", makeForeignDatabase],
  ])("of %s", async (_, make) => {
    const file = temporaryFile();
    make(file);
    const { error, left } = await refusalOf(file, join(dirname(file), "backup.db"));
    expect(error).toBeInstanceOf(Unavailable);
    expect(error).toMatchObject({ message: expect.stringContaining(file) });
    expect(left).toEqual([]);
  });

  test("of a database of a newer program", async () => {
    const { file, target } = await databaseWith(1);
    const db = new DatabaseSync(file);
    db.exec("INSERT INTO schema_migrations VALUES (999, '999-later.sql', '', 999)");
    db.close();
    const { error, left } = await refusalOf(file, target);
    expect(error).toMatchObject({
      message: expect.stringMatching(`version 999.*only ${newestSchema}.*Update`),
    });
    expect(left).toEqual([]);
  });

  test("of a database that is damaged", async () => {
    const { file, target } = await databaseWith(500);
    const bytes = readFileSync(file);
    bytes.fill(0xa5, 20 * 4096, 21 * 4096);
    writeFileSync(file, bytes);
    const { error, left } = await refusalOf(file, target);
    expect(error).toMatchObject({
      message: expect.stringMatching(/did not pass its check.*was removed.*damaged/),
    });
    expect(left).toEqual([]);
  });

  test.each([
    ["that is missing", (folder: string) => join(folder, "missing", "b.db"), /make it first/],
    ["that is a file", (folder: string) => join(folder, "file", "b.db"), /not a folder/],
    ["with too long a name", (folder: string) => join(folder, "x".repeat(300)), /ENAMETOOLONG/],
  ])("into a folder %s", async (_, targetIn, message) => {
    const { file } = await databaseWith(1);
    writeFileSync(join(dirname(file), "file"), "");
    const { error, left } = await refusalOf(file, targetIn(dirname(file)));
    expect(error).toBeInstanceOf(Unavailable);
    expect(error).toMatchObject({ message: expect.stringMatching(message) });
    expect(left).toEqual([]);
  });
});

describe("a new file", () => {
  test("does not replace a file that was created meanwhile", async () => {
    const path = temporaryFile();
    const making = fillNewFile(path, async (temporary) => {
      writeFileSync(temporary, "ours");
      writeFileSync(path, "mine");
    });
    await expect(making).rejects.toMatchObject({ code: "EEXIST" });
    expect(readFileSync(path, "utf8")).toBe("mine");
    expect(readdirSync(dirname(path))).toEqual([basename(path)]);
  });

  test.each(["mine.txt", "nowhere"])("does not replace a link to %s", async (name) => {
    const path = temporaryFile();
    writeFileSync(join(dirname(path), "mine.txt"), "mine");
    const making = fillNewFile(path, async (temporary) => {
      writeFileSync(temporary, "ours");
      symlinkSync(join(dirname(path), name), path);
    });
    await expect(making).rejects.toMatchObject({ code: "EEXIST" });
    expect(readFileSync(join(dirname(path), "mine.txt"), "utf8")).toBe("mine");
    expect(readdirSync(dirname(path))).toEqual(["mine.txt", basename(path)]);
  });

  test("leaves nothing behind when writing it fails", async () => {
    const path = temporaryFile();
    const making = fillNewFile(path, async (temporary) => {
      for (const suffix of ["", "-journal", "-wal", "-shm"]) writeFileSync(temporary + suffix, "");
      throw new Error("no more");
    });
    await expect(making).rejects.toThrow("no more");
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  test("has its name only once it is complete, and is never readable to other users", async () => {
    const path = temporaryFile();
    await fillNewFile(path, async (temporary) => {
      expect(dirname(temporary)).toBe(dirname(path));
      expect(statSync(temporary).mode & 0o777).toBe(0o600);
      expect(existsSync(path)).toBe(false);
      writeFileSync(temporary, "whole");
    });
    expect(readFileSync(path, "utf8")).toBe("whole");
  });
});

test.each([
  ["while it copies", 0],
  ["while it checks the copy", 1],
])("an interrupted backup leaves nothing behind %s", async (_, moment) => {
  const { file, target } = await databaseWith(1_200, "x".repeat(8_000));
  const interruption = new AbortController();
  const backing = backUp(file, target, interruption.signal);
  const reason = new Error("interrupted");
  const begun = () => partialIn(dirname(target));
  const reached = moment === 0 ? () => begun() !== undefined : () => isWhole(begun(), file);
  while (!reached()) await nextTurn();
  interruption.abort(reason);
  await expect(backing).rejects.toBe(reason);
  expect(readdirSync(dirname(target))).toEqual([basename(file)]);
});

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function partialIn(folder: string): string | undefined {
  const name = readdirSync(folder).find((found) => found.endsWith(".partial"));
  return name && join(folder, name);
}

/** The copying has ended: SQLite has removed its journal, and all pages are there. */
function isWhole(partial: string | undefined, file: string): boolean {
  if (partial === undefined || existsSync(`${partial}-journal`)) return false;
  return statSync(partial).size === statSync(file).size;
}

function makeForeignDatabase(file: string): void {
  const db = new DatabaseSync(file);
  db.exec("CREATE TABLE songs (title TEXT)");
  db.close();
}
