import { once } from "node:events";
import {
  existsSync,
  readFileSync,
  statSync,
  lstatSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test, vi } from "vitest";
import { readMigrations } from "../../../src/service/database/migrate.ts";
import { openUntilFileEnds } from "../../testkit/open-until-file-ends.ts";
import { createTemporaryHome } from "../../testkit/temporary.ts";
import {
  parseError,
  parsePrinted,
  runInNewProcess,
  runPayments,
  runInShell,
  waitForEnd,
  startPayments,
  type Ran,
  parseList,
} from "../../testkit/command/run-payments.ts";
import { newAccount, paymentIn } from "../../testkit/database/records.ts";
import { openSqlite } from "../../../src/service/database/sqlite.ts";
import { openStore } from "../../../src/service/server/open-service.ts";
import { atMs, writeOf } from "../../service/database/contract/writes.ts";
import { fillDisk } from "../../testkit/database/open-database.ts";

const all = readMigrations().map(({ version, name }) => ({ version, name }));
const newest = all.length;

/** Creates a database file in a new home, and changes it by SQL. */
async function createDatabase(sql: string) {
  const home = createTemporaryHome();
  const file = join(home, "payments.db");
  await runPayments(["migrate"], { home });
  change(file, sql);
  return { home, file };
}

const fromTheFuture = `INSERT INTO schema_migrations VALUES (99, '099-later.sql', '', ${newest + 1})`;

describe.concurrent("payments migrate", () => {
  test("creates a new database's schema, and reports it once", async () => {
    const home = createTemporaryHome();
    const file = join(home, "payments.db");
    const done = {
      object: "migration",
      database: `sqlite:${file}`,
      database_version: newest,
      program_version: newest,
      applied: all,
      pending: [],
    };
    expect(parsePrinted(await runPayments(["migrate", "--json"], { home }))).toEqual(done);
    expect(parsePrinted(await runPayments(["migrate", "--json"], { home }))).toEqual({
      ...done,
      applied: [],
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("reports the migrations as text", async () => {
    const home = createTemporaryHome();
    const upToDate = `sqlite:${join(home, "payments.db")} is up to date: schema version ${newest}.\n`;
    const lines = all.map(({ name }) => `Applied      ${name}\n`).join("");
    const applied = await runPayments(["migrate"], { home });
    expect(applied).toEqual({ stdout: `${lines}${upToDate}`, stderr: "", exitCode: 0 });
    expect((await runPayments(["migrate"], { home })).stdout).toBe(upToDate);
  });

  test("prints each migration as a line of CSV or JSON", async () => {
    const home = createTemporaryHome();
    const planned = await runPayments(["migrate", "--dry-run", "-o", "csv"], { home });
    expect(planned.stdout).toBe(
      [
        "version,name,state",
        ...all.map(({ version, name }) => `${version},${name},pending`),
        "",
      ].join("\n"),
    );
    const applied = await runPayments(["migrate", "-o", "ndjson"], { home });
    expect(applied.stdout).toBe(
      all.map((each) => `${JSON.stringify({ ...each, state: "applied" })}\n`).join(""),
    );
  });
});

describe.concurrent("payments migrate --dry-run", () => {
  test("lists the migrations of a new database, and creates neither file nor folder", async () => {
    const home = join(createTemporaryHome(), "not", "there");
    const report = parsePrinted(await runPayments(["migrate", "--dry-run", "--json"], { home }));
    expect(report).toMatchObject({ database_version: 0, applied: [], pending: all });
    expect(existsSync(join(home, ".."))).toBe(false);
  });

  test("adds no table of its own to another program's database", async () => {
    const home = createTemporaryHome();
    const file = join(home, "songs.db");
    change(file, "CREATE TABLE songs (title TEXT)");
    const before = readFileSync(file);
    const args = ["migrate", "--dry-run", "--json", "--database", `sqlite:${file}`];
    expect(parsePrinted(await runPayments(args))).toMatchObject({
      database_version: 0,
      pending: all,
    });
    expect(readFileSync(file)).toEqual(before);
  });

  test("reads migrations that another process has written only to the WAL so far", async () => {
    const { home, file } = await createDatabase("SELECT 1");
    const other = new DatabaseSync(file);
    other.exec(`INSERT INTO schema_migrations VALUES (${newest + 1}, 'later.sql', '', 1)`);
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
    const { stdout } = await runPayments(["migrate", "--dry-run"], { home });
    other.close();
    expect(stdout).toContain(`schema version ${newest + 1}`);
  });
});

describe("an unusable database", () => {
  const commands: [name: string, args: string[]][] = [
    ["migrate", []],
    ["backup", ["backup.db"]],
    ["serve", ["--port", "0", "--log-level", "silent"]],
    ["keys", ["list"]],
    ["list", ["--max-retries", "0"]],
  ];
  test.each(commands)("is refused by payments %s %j: exit 9 with a hint", async (name, args) => {
    for (const [damage, message] of [
      [
        fromTheFuture,
        `The database has schema version 99, but this program knows only ${newest}. Nothing was changed. Update payments.`,
      ],
      [
        "ALTER TABLE schema_migrations DROP COLUMN checksum",
        "made by a version of payments from before its first release, which this one cannot use. Nothing was changed.",
      ],
    ] as const) {
      const { home, file } = await createDatabase(damage);
      const before = readFileSync(file);
      const ran = await runPayments([name, ...args, "--json"], { home });
      expect(ran.exitCode).toBe(9);
      expect(parseError(ran)["message"]).toContain(message);
      expect(readFileSync(file)).toEqual(before);
    }
  });
});

test("the command fails on a database that requires a password if none is given", async () => {
  const url = `postgres://payments@${await startPasswordServer()}/payments`;
  expect(await runInNewProcess(["migrate"], { env: { PAYMENTS_DATABASE: url } })).toEqual({
    stdout: "",
    stderr:
      "Error: The database cannot be reached: it asks for a password.\n" +
      "  hint: Run payments doctor with the same --database or PAYMENTS_DATABASE: it says what to do.\n",
    exitCode: 9,
  });
});

/** A PostgreSQL server that requests a password, and then waits for it for ever. */
async function startPasswordServer(): Promise<string> {
  const server = createServer((socket) => {
    const questions = [
      toAuthenticationMessage(10, "SCRAM-SHA-256\0\0"),
      toAuthenticationMessage(11, "r=nonce,s=c2FsdA==,i=4096"),
    ];
    socket.on("error", () => socket.destroy());
    socket.on("data", () => socket.write(questions.shift() ?? ""));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  openUntilFileEnds(() => server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A PostgreSQL authentication message. */
function toAuthenticationMessage(kind: number, text: string): Buffer {
  const head = Buffer.from("R\0\0\0\0\0\0\0\0", "latin1");
  head.writeUInt32BE(8 + text.length, 1);
  head.writeUInt32BE(kind, 5);
  return Buffer.concat([head, Buffer.from(text)]);
}

function change(file: string, sql: string): void {
  const db = new DatabaseSync(file);
  db.exec(sql);
  db.close();
}

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

test.concurrent("payments backup describes the backup, as JSON and as text", async () => {
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

  test("standard output, which would hold no backup", async () => {
    const { home, folder } = await createHomeWithPayments(1);
    const ran = await runPayments(["backup", "-", "--json"], { home });
    expect(ran.exitCode).toBe(2);
    expect(parseError(ran)["message"]).toContain("cannot go to standard output");
    expect(readdirSync(folder)).toEqual([]);
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

test.each([["SIGINT", 130]] as const)(
  "payments backup, interrupted, by %s, removes its partial file",
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

const visa = ["create", "--amount", "1", "--currency", "eur", "--test-card", "visa"];

test("a full disk under the embedded service is exit 9 without retries, and the outcome is known", async () => {
  const home = createTemporaryHome();
  const database = `sqlite:${join(home, "full.db")}`;
  const at = ["--database", database];
  await runPayments(["migrate", ...at], { home });
  await runPayments([...visa, ...at], { home });
  fillDisk(database);
  const ran = await runPayments([...visa, ...at, "--json"], { home });
  expect(ran.exitCode).toBe(9);
  expect(parseError(ran)).toMatchObject({
    code: "unavailable",
    message: "The database refuses: the disk is full; nothing was written.",
    hint: "Make room on its disk, or name another database with --database.",
    retryable: false,
    idempotency_key: null,
  });
  const { stderr } = await runPayments([...visa, ...at, "--debug"], { home });
  expect(stderr.match(/^> POST /gm)).toHaveLength(1);
  expect(parseList(await runPayments(["list", "--json", ...at], { home })).data).toHaveLength(1);
});
