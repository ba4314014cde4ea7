import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { readMigrations } from "../../../src/service/store/migration-files.ts";
import { openUntilFileEnds } from "../../testkit/open-until-file-ends.ts";
import { createTemporaryHome } from "../../testkit/command/temporary-home.ts";
import {
  parseError,
  parsePrinted,
  runInNewProcess,
  runPayments,
} from "../../testkit/command/run-payments.ts";

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
    other.exec("INSERT INTO schema_migrations VALUES (5, '005-later.sql', '', 1)");
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
    const { stdout } = await runPayments(["migrate", "--dry-run"], { home });
    other.close();
    expect(stdout).toContain("schema version 5");
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
  const ran = await runInNewProcess(["migrate"], { env: { PAYMENTS_DATABASE: url } });
  expect(ran).toEqual({
    stdout: "",
    stderr: "Error: The database cannot be reached: it asks for a password.\n",
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
