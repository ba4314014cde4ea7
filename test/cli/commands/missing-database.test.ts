import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { createTemporaryHome } from "../../testkit/command/temporary-home.ts";
import { parseError, parsePrinted, runPayments } from "../../testkit/command/run-payments.ts";

const acting = [
  "create --amount 1 --currency eur --test-card visa",
  "get pay_1",
  "list",
  "refund pay_1 --yes",
  "trigger payment.succeeded",
  "events list",
  "webhooks list",
  "webhooks create --url https://shop.example/hooks",
  "listen --print-secret",
  "whoami",
  "keys list",
  "keys create --mode test --name ci",
  "keys create --account acct_1 --mode test --name ci",
  "keys roll key_1",
  "keys revoke key_1",
  "accounts list",
  "accounts rename acct_1 --name Flowers",
  "operators list",
  "operators invite --name Ada --role admin",
  "operators invite --account acct_1 --name Ada --role admin",
  "operators invite --id op_1",
  "operators remove op_1",
];
const beginning = ["accounts create --name Flowers", "migrate"];

const hint =
  "Check --database or PAYMENTS_DATABASE; payments migrate, payments serve and payments accounts create begin a new one.";

describe.concurrent("on a named database that does not exist,", () => {
  test.each(acting)("payments %s exits with 9, and creates none", async (command) => {
    const home = createTemporaryHome();
    const database = `sqlite:${join(home, "deep", "typo.db")}`;
    const message = `There is no database of payments at ${database}. None was made.`;
    const args = [...command.split(" "), "--json"];
    const env = { PAYMENTS_DATABASE: database };
    const ran = await (acting.indexOf(command) % 2 === 0
      ? runPayments([...args, "--database", database], { home })
      : runPayments(args, { home, env }));
    expect(ran.exitCode).toBe(9);
    expect(parseError(ran)).toMatchObject({ message, hint });
    expect(readdirSync(home)).toEqual([]);
  });

  test.each(beginning)("payments %s creates it", async (command) => {
    const home = createTemporaryHome();
    const database = ["--database", `sqlite:${join(home, "new.db")}`, "--json"];
    const begun = await runPayments([...command.split(" "), ...database], { home });
    expect(begun.exitCode).toBe(0);
    const accounts = parsePrinted(await runPayments(["accounts", "list", ...database], { home }));
    expect(accounts).toMatchObject({ object: "list" });
  });

  test("payments migrate --dry-run lists its migrations, but fails if its folder is missing", async () => {
    const home = createTemporaryHome();
    const planned = async (file: string) =>
      runPayments(["migrate", "--dry-run", "--json", "--database", `sqlite:${join(home, file)}`]);
    expect(parsePrinted(await planned("new.db"))).toMatchObject({
      database_version: 0,
      applied: [],
    });
    const ran = await planned("deep/typo.db");
    expect(ran.exitCode).toBe(9);
    expect(parseError(ran)).toMatchObject({
      message: `There is no folder for a database at sqlite:${home}/deep/typo.db. Nothing was written.`,
      hint: expect.stringMatching(/^Check --database or PAYMENTS_DATABASE/) as unknown,
    });
    expect(readdirSync(home)).toEqual([]);
  });

  test("payments backup exits with 9, and names the command that creates one", async () => {
    const home = createTemporaryHome();
    const args = ["backup", join(home, "b.db"), "--database", `sqlite:${join(home, "typo.db")}`];
    const ran = await runPayments([...args, "--json"]);
    expect(ran.exitCode).toBe(9);
    expect(parseError(ran)["hint"]).toContain("payments accounts create begin a new one.");
    expect(readdirSync(home)).toEqual([]);
  });

  test("another program's SQLite file stays unchanged", async () => {
    const home = createTemporaryHome();
    const file = join(home, "bookmarks.db");
    const db = new DatabaseSync(file);
    db.exec("CREATE TABLE bookmarks (url TEXT)");
    db.close();
    const before = readFileSync(file);
    const ran = await runPayments(["keys", "list", "--database", `sqlite:${file}`], { home });
    expect(ran).toMatchObject({ stdout: "", exitCode: 9 });
    expect(readFileSync(file)).toEqual(before);
    expect(readdirSync(home)).toEqual(["bookmarks.db"]);
  });

  test("any command creates the database of a home", async () => {
    const home = createTemporaryHome();
    expect(await runPayments(["keys", "list"], { home })).toMatchObject({ exitCode: 0 });
    expect(readdirSync(home)).toContain("payments.db");
  });
});
