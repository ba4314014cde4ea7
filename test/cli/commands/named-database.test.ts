import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { createTemporaryHome, temporaryRoot } from "../../testkit/temporary.ts";
import {
  outsider,
  parseError,
  parseList,
  parsePayment,
  parsePrinted,
  runPayments,
} from "../../testkit/command/run-payments.ts";

const visa = ["create", "--amount", "1", "--currency", "eur", "--test-card", "visa", "--json"];
const declined = [...visa.slice(0, -2), "expired-card", "--json"];

/** A deployment's database with this many accounts, a payment in each, and no keys. */
async function createDeployment(accounts = 1) {
  const folder = createTemporaryHome();
  const file = join(folder, "payments.db");
  const database = `sqlite:${file}`;
  const run = async (args: string[], env = {}, home = createTemporaryHome()) =>
    runPayments(args, { home, env: { PAYMENTS_DATABASE: database, ...env } });
  await run(["migrate"]);
  for (let made = 1; made < accounts; made++)
    await run(["accounts", "create", "--name", `Shop ${made}`]);
  const listed = parsePrinted(await run(["accounts", "list", "--json"]))["data"] as {
    id: string;
  }[];
  const ids = listed.map(({ id }) => id);
  const payments: string[] = [];
  for (const id of ids) {
    payments.push(parsePayment(await run([...visa, "--account", id])).id);
  }
  return { folder, file, database, run, accounts: ids, payments };
}

type Deployment = Awaited<ReturnType<typeof createDeployment>>;

/** One deployment for all tests that change nothing in it, or nothing that another of them reads. */
function shareDeployment(
  accounts: number,
  prepare: (deployment: Deployment) => Promise<void> = async () => {},
): () => Promise<Deployment> {
  let shared: Promise<Deployment> | undefined;
  return async () =>
    (shared ??= createDeployment(accounts).then(async (made) => {
      await prepare(made);
      return made;
    }));
}

function countKeys(file: string): unknown {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    return db.prepare("SELECT COUNT(*) AS count FROM api_keys").get()?.["count"];
  } finally {
    db.close();
  }
}

function readDatabaseState(folder: string) {
  return readdirSync(folder)
    .toSorted()
    .map((name) => {
      const file = join(folder, name);
      return [name, statSync(file).mtimeMs, readFileSync(file).toString("base64")];
    });
}

describe.concurrent("on a named database", () => {
  test("a command needs no key, and none is created", async () => {
    const { file, run, payments } = await createDeployment();
    const home = createTemporaryHome();
    const { id } = parsePayment(await run(visa, {}, home));
    expect(parseList(await run(["list", "--json"], {}, home)).data).toMatchObject([
      { id },
      { id: payments[0] },
    ]);
    expect(parsePayment(await run(["refund", id, "--yes", "--json"], {}, home))).toMatchObject({
      status: "refunded",
    });
    expect(countKeys(file)).toBe(0);
    expect(readdirSync(home)).toEqual([]);
  });

  const deploymentWithDue = shareDeployment(1, async ({ run }) => {
    await run(declined); // left pending, and due by the time that it is read
  });
  test.each([
    "list",
    "get PAYMENT",
    "events list",
    "logs list",
    "webhooks list",
    "whoami",
    "keys list",
    "accounts list",
    "operators list",
  ])("a read writes nothing: payments %s", async (command) => {
    const { folder, run, payments } = await deploymentWithDue();
    const before = readDatabaseState(folder);
    const home = createTemporaryHome();
    const ran = await run(command.replace("PAYMENT", payments[0] ?? "").split(" "), {}, home);
    expect(ran.exitCode).toBe(0);
    expect(readDatabaseState(folder)).toEqual(before);
    expect(readdirSync(home)).toEqual([]);
  });

  test("a write settles due payments, so that a command can wait for them", async () => {
    const { run } = await createDeployment();
    const ran = await run([...declined, "--expect", "expired_card"]);
    expect(parsePayment(ran)).toMatchObject({ status: "failed" });
  });

  test("a read works with read-only permission", async () => {
    const { folder, file, run, payments } = await createDeployment();
    const home = createTemporaryHome();
    chmodSync(temporaryRoot, 0o755);
    chmodSync(file, 0o444);
    chmodSync(folder, 0o555);
    chmodSync(home, 0o755);
    const env = { PAYMENTS_DATABASE: `sqlite:${file}` };
    const ran = await runPayments(["list", "--json"], { home, env, ...outsider });
    expect(parseList(ran).data).toMatchObject([{ id: payments[0] }]);
    chmodSync(folder, 0o755);
    chmodSync(file, 0o644);
    expect((await run(["list"])).exitCode).toBe(0);
  });

  test("payments whoami shows the account, and that no key is needed", async () => {
    const { run, accounts } = await deploymentWithDue();
    expect(parsePrinted(await run(["whoami", "--json"]))).toMatchObject({
      context: "embedded",
      mode: "test",
      base_url: "embedded",
      key: null,
      accepted: true,
      account: { id: accounts[0], name: "Default" },
      permissions: ["create", "read", "refund", "webhooks"],
      max_refund: null,
    });
    expect((await run(["whoami"])).stdout).toContain("Key       none is needed\n");
  });

  test("a dry run shows no digits of a key", async () => {
    const { run } = await deploymentWithDue();
    const shown = parsePrinted(await run([...visa, "--dry-run"]));
    expect(shown["headers"]).toMatchObject({ authorization: "Bearer svc_test_sk_…" });
  });

  test("a given key determines the account", async () => {
    const { run, accounts, payments } = await createDeployment(2);
    const [, account = ""] = accounts;
    const make = ["keys", "create", "--mode", "test", "--name", "ci", "--account", account];
    const { key } = parsePrinted(await run([...make, "--json"])) as { key: string };
    const { data } = parseList(await run(["list", "--json"], { PAYMENTS_API_KEY: key }));
    expect(data).toMatchObject([{ id: payments[1] }]);
    const both = await run(["list", "--json", "--account", account], { PAYMENTS_API_KEY: key });
    expect(both.exitCode).toBe(2);
    expect(parseError(both)["message"]).toMatch(/^--account chooses among the accounts/);
  });
});

describe.concurrent("on a database with several accounts", () => {
  const commands = [
    "list",
    "refund PAYMENT --yes",
    "create --amount 1 --currency eur --test-card visa",
    "listen --print-secret",
    "keys create --mode test --name ci",
    "operators invite --name Ada --role admin",
  ];

  const twoAccounts = shareDeployment(2);
  test.each(commands)("payments %s requires --account, and lists the accounts", async (command) => {
    const { run, accounts, payments } = await twoAccounts();
    const args = `${command.replace("PAYMENT", payments[1] ?? "")} --json`.split(" ");
    const missing = await run(args);
    expect(missing.exitCode).toBe(2);
    expect(parseError(missing)).toMatchObject({
      message: "Missing --account: there are 2 accounts.",
      hint: expect.stringContaining(
        `${accounts[0]} (Default), ${accounts[1]} (Shop 1).`,
      ) as unknown,
    });
    const unknown = await run([...args, "--account", "acct_none"]);
    expect(unknown.exitCode).toBe(5);
    expect(parseError(unknown)["message"]).toBe("There is no account with this id.");
    expect((await run(args, { PAYMENTS_ACCOUNT: "acct_none" })).exitCode).toBe(5);
    const [, second = ""] = accounts;
    expect((await run([...args, "--account", second])).exitCode).toBe(0);
  });

  test("--account overrides PAYMENTS_ACCOUNT", async () => {
    const { run, accounts, payments } = await createDeployment(2);
    const env = { PAYMENTS_ACCOUNT: accounts[0] };
    const listed = async (...args: string[]) =>
      parseList(await run(["list", "--json", ...args], env)).data;
    expect(await listed()).toMatchObject([{ id: payments[0] }]);
    expect(await listed("--account", accounts[1] ?? "")).toMatchObject([{ id: payments[1] }]);
  });

  test("an operator's lists cover all accounts, or the named one", async () => {
    const { run, accounts } = await createDeployment(2);
    for (const account of accounts) {
      await run(["keys", "create", "--mode", "test", "--name", "ci", "--account", account]);
    }
    const listed = async (env = {}) =>
      (
        parsePrinted(await run(["keys", "list", "--json"], env))["data"] as { account: string }[]
      ).map(({ account }) => account);
    expect(await listed()).toEqual(accounts);
    expect(await listed({ PAYMENTS_ACCOUNT: accounts[1] })).toEqual([accounts[1]]);
  });
});

test("--account is refused with a service that has keys, and PAYMENTS_ACCOUNT is ignored", async () => {
  const env = {
    PAYMENTS_BASE_URL: "http://127.0.0.1:9",
    PAYMENTS_API_KEY: `svc_test_sk_${"0".repeat(43)}`,
  };
  const ran = await runPayments(["list", "--json", "--account", "acct_1"], { env });
  expect(ran.exitCode).toBe(2);
  expect(parseError(ran)["message"]).toContain("a key belongs to one account. Nothing was sent.");
  const unnamed = await runPayments(["list", "--json", "--max-retries", "0"], {
    env: { ...env, PAYMENTS_ACCOUNT: "acct_1" },
  });
  expect(parseError(unnamed)["code"]).toBe("connection_failed");
});

test("--account works on the user's own database too", async () => {
  const home = createTemporaryHome();
  const mine = parsePayment(await runPayments(visa, { home }));
  const make = ["accounts", "create", "--name", "Books", "--json"];
  const { id } = parsePrinted(await runPayments(make, { home })) as { id: string };
  const books = parsePayment(await runPayments([...visa, "--account", id], { home }));
  const listed = async (...args: string[]) =>
    parseList(await runPayments(["list", "--json", ...args], { home })).data;
  expect(await listed("--account", id)).toMatchObject([{ id: books.id }]);
  expect(await listed()).toMatchObject([{ id: mine.id }]);
});

const acting = [
  "create --amount 1 --currency eur --test-card visa",
  "get pay_1",
  "list",
  "refund pay_1 --yes",
  "trigger payment.succeeded",
  "events list",
  "logs list",
  "logs tail",
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
  "activity list",
  "backup copy.db",
];
/** Those that act on the service's own database wherever it is, and never on one of the command's own. */
const operating = acting.filter((command) =>
  /^(?:keys|accounts|operators|activity|backup)\b/.test(command),
);
const beginning = ["accounts create --name Flowers", "migrate"];

const hint =
  "Name the service's database with --database or PAYMENTS_DATABASE; payments migrate, payments serve and payments accounts create begin a new one.";

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

  test.each(operating)(
    "payments %s refuses an empty file, and leaves it empty",
    async (command) => {
      const home = createTemporaryHome();
      const file = join(home, "empty.db");
      writeFileSync(file, "");
      const args = [...command.split(" "), "--database", `sqlite:${file}`, "--json"];
      const ran = await runPayments(args, { home });
      expect(ran.exitCode).toBe(9);
      const message = `There is no database of payments at sqlite:${file}. None was made.`;
      expect(parseError(ran)).toMatchObject({ message, hint });
      expect(readDatabaseState(home)).toMatchObject([["empty.db", expect.any(Number), ""]]);
      expect(readdirSync(temporaryRoot)).not.toContain("copy.db");
    },
  );

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
});

describe.concurrent("in a new home, without a named database,", () => {
  test.each(operating)("payments %s exits with 9, and creates none", async (command) => {
    const home = createTemporaryHome();
    const ran = await runPayments([...command.split(" "), "--json"], { home });
    expect(ran.exitCode).toBe(9);
    const message = `There is no database of payments at sqlite:${home}/payments.db. None was made.`;
    expect(parseError(ran)).toMatchObject({ message, hint });
    expect(readdirSync(home)).toEqual([]);
  });

  test("no account can be meant, so that a command with --account creates none", async () => {
    const home = createTemporaryHome();
    const ran = await runPayments(["list", "--account", "acct_1", "--json"], { home });
    expect(ran.exitCode).toBe(9);
    expect(parseError(ran)).toMatchObject({ hint });
    expect(readdirSync(home)).toEqual([]);
  });

  test.each([...beginning, "create --amount 1 --currency eur --test-card visa"])(
    "payments %s creates one, on which all others act",
    async (command) => {
      const home = createTemporaryHome();
      expect(await runPayments(command.split(" "), { home })).toMatchObject({ exitCode: 0 });
      expect(await runPayments(["keys", "list"], { home })).toMatchObject({ exitCode: 0 });
    },
  );
});
