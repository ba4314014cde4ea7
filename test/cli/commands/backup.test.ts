import {
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test, vi } from "vitest";
import { readMigrations } from "../../../src/service/store/migration-files.ts";
import { createTemporaryHome } from "../../testkit/command/temporary-home.ts";
import { paymentIn } from "../../testkit/payment-in.ts";
import { openSqlite } from "../../../src/service/store/sqlite.ts";
import { openStore } from "../../../src/service/store/store.ts";
import { atMs, writeOf } from "../../service/store/contract/writes.ts";
import {
  parseError,
  runInShell,
  parsePrinted,
  waitForEnd,
  runPayments,
  startPayments,
  type Ran,
} from "../../testkit/command/run-payments.ts";
import { newAccount } from "../../testkit/database/new-account.ts";

/** The current schema version. */
const newest = readMigrations().length;

/** A home whose database holds this many payments, and an empty folder for its backups. */
async function createHomeWithPayments(payments: number, description = "") {
  const home = createTemporaryHome();
  const database = join(home, "payments.db");
  const store = await openStore(await openSqlite({ file: database }), newAccount());
  const writes = Array.from({ length: payments }, () =>
    writeOf(paymentIn("succeeded", atMs, { description })),
  );
  await Promise.all(writes.map(async (write) => store.createPayment(() => write)));
  await store.close();
  const folder = createTemporaryHome();
  return { home, database, folder, file: join(folder, "backup.db") };
}

describe.concurrent("payments backup", () => {
  test("describes the backup, as JSON and as text", async () => {
    const { home, database, folder, file } = await createHomeWithPayments(3);
    expect(parsePrinted(await runPayments(["backup", file, "--json"], { home }))).toEqual({
      object: "backup",
      file,
      size_bytes: statSync(file).size,
      payments: 3,
      schema_version: newest,
      database: `sqlite:${database}`,
    });
    const second = join(folder, "second.db");
    expect(await runPayments(["backup", second], { home })).toEqual({
      stdout: [
        `Backup    ${second}`,
        `Size      ${statSync(second).size} bytes`,
        "Payments  3",
        `Schema    version ${newest}\n`,
      ].join("\n"),
      stderr: "",
      exitCode: 0,
    });
    expect(readdirSync(folder)).toEqual(["backup.db", "second.db"]);
    expect(readdirSync(home)).toEqual(["payments.db"]);
  });
});

describe.concurrent("payments backup replaces nothing and exits with 2: the target is", () => {
  test.each([
    ["a file", (file: string) => writeFileSync(file, "mine"), "already exists"],
    ["a link without a target", (file: string) => symlinkSync("no", file), "already exists"],
    ["a -wal of one that stood there", (file: string) => writeFileSync(`${file}-wal`, "m"), "-wal"],
  ])("%s", async (_, make, message) => {
    const { home, folder, file } = await createHomeWithPayments(1);
    make(file);
    const listFiles = () => readdirSync(folder).map((name) => [name, readStat(join(folder, name))]);
    const before = listFiles();
    const ran = await runPayments(["backup", file, "--json"], { home });
    expect(ran.exitCode).toBe(2);
    expect(parseError(ran)["message"]).toContain(message);
    expect(listFiles()).toEqual(before);
  });

  test("the database itself, by its name or by a link", async () => {
    const { home, database, folder } = await createHomeWithPayments(1);
    const before = readFileSync(database);
    const link = join(folder, "link.db");
    symlinkSync(database, link);
    for (const file of [database, link]) {
      const ran = await runPayments(["backup", file, "--json"], { home });
      expect(ran.exitCode).toBe(2);
      expect(parseError(ran)["message"]).toContain("is the database itself");
    }
    expect(readFileSync(database)).toEqual(before);
  });
});

describe.concurrent("payments backup fails", () => {
  test("over the limit for file sizes: exit 9, and no partial file is left", async () => {
    const { home, folder, file } = await createHomeWithPayments(300, "x".repeat(400));
    const line = `ulimit -f 128; payments backup ${file} --json`;
    const ran = await runInShell(line, { home });
    expect(ran.exitCode).toBe(9);
    expect(parseError(ran)["message"]).toContain(`The backup ${file} cannot be made: the disk`);
    expect(readdirSync(folder)).toEqual([]);
    expect(parsePrinted(await runPayments(["backup", file, "--json"], { home }))["payments"]).toBe(
      300,
    );
  });

  test("in a folder that this user may not write to: exit 9", async () => {
    const { home } = await createHomeWithPayments(1);
    const file = "/proc/backup.db"; // where not even root may make a file
    const ran = await runPayments(["backup", file, "--json"], { home });
    expect(ran.exitCode).toBe(9);
    expect(parseError(ran)["message"]).toContain(`The backup ${file} cannot be made`);
  });
});

describe("payments backup, interrupted,", () => {
  test.each([["SIGINT", 130]] as const)(
    "by %s, removes its partial file",
    async (signal, exitCode) => {
      const { home, database, folder, file } = await createHomeWithPayments(1);
      fillDatabase(database, 15_000_000);
      let ended = await interruptBackup(signal, { home, folder, file });
      // The backup may end before the signal arrives: then the test tries another one.
      while (ended.exitCode === 0) {
        rmSync(file);
        ended = await interruptBackup(signal, { home, folder, file });
      }
      expect(ended.exitCode).toBe(exitCode);
      expect(parseError(ended)).toMatchObject({ code: "interrupted", message: "Interrupted." });
      expect(readdirSync(folder)).toEqual([]);
      expect(readdirSync(home)).toEqual(["payments.db"]);
    },
  );
});

/** Adds this many bytes to a database, so that copying takes long enough to interrupt. */
function fillDatabase(database: string, bytes: number): void {
  const db = new DatabaseSync(database);
  db.exec(`CREATE TABLE ballast AS SELECT zeroblob(${bytes})`);
  db.close();
}

/** Sends a backup a signal as soon as its partial file appears in the folder. */
async function interruptBackup(
  signal: NodeJS.Signals,
  { home, folder, file }: { home: string; folder: string; file: string },
): Promise<Ran> {
  const child = startPayments(["backup", file, "--json"], { home });
  const ran = waitForEnd(child);
  await vi.waitUntil(() => readdirSync(folder).length > 0, { timeout: 120_000, interval: 1 });
  child.kill(signal);
  return await ran;
}

/** The properties that change when a file is replaced or written to. */
function readStat(path: string): object {
  const { ino, size, mtimeMs } = lstatSync(path);
  return { ino, size, mtimeMs };
}
