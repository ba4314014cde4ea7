import {
  chmodSync,
  chownSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { spawn } from "node:child_process";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { needs, onLinux } from "../../testkit/runner/needs.ts";
import { createTemporaryHome, temporaryRoot, someKeys } from "../../testkit/temporary.ts";
import {
  createEnvironment,
  isRoot,
  launcher,
  outsider,
  parseError,
  parseList,
  parsePayment,
  parsePrinted,
  runInNewProcess,
  runInShell,
  runInThisProcess,
  runPayments,
  waitForEnd,
} from "../../testkit/command/run-payments.ts";
import { hasTerminals, runInTerminal, noTerminals } from "../../testkit/command/in-terminal.ts";

const visa = ["create", "--amount", "1", "--currency", "eur", "--test-card", "visa", "--json"];

describe.concurrent("the folders of settings and data", () => {
  test("are PAYMENTS_HOME, which the command creates for its owner alone", async () => {
    const home = join(createTemporaryHome(), "deep", "home");
    expect((await runPayments(visa, { home })).exitCode).toBe(0);
    await runPayments(["mode", "live"], { home });
    expect(readdirSync(home).toSorted()).toEqual([
      "config.json",
      "embedded-keys.json",
      "payments.db",
    ]);
    expect(statSync(home).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(home)) {
      expect(statSync(join(home, name)).mode & 0o777).toBe(0o600);
    }
  });

  test("are the XDG directories otherwise", async () => {
    const root = createTemporaryHome();
    const env = {
      PAYMENTS_HOME: undefined,
      XDG_CONFIG_HOME: join(root, "config"),
      XDG_DATA_HOME: join(root, "data"),
    };
    await runPayments(visa, { env });
    await runPayments(["mode", "live"], { env });
    expect(readdirSync(join(root, "config", "payments"))).toEqual(["config.json"]);
    expect(readdirSync(join(root, "data", "payments")).toSorted()).toEqual([
      "embedded-keys.json",
      "payments.db",
    ]);
    expect(statSync(join(root, "data", "payments")).mode & 0o777).toBe(0o700);
  });
});

test.concurrent("a user without HOME, or without a name, can set PAYMENTS_HOME", async () => {
  const otherUser = isRoot ? { uid: 12_345, gid: 12_345 } : {}; // no user's, as containers run their commands
  chmodSync(temporaryRoot, 0o755);
  const home = createTemporaryHome();
  if (isRoot) chownSync(home, 12_345, 12_345);
  const ran = await runPayments(visa, { home, env: { HOME: undefined }, ...otherUser });
  expect(parsePayment(ran).status).toBe("succeeded");
});

test.concurrent("many commands at once on an empty home create the embedded service's keys and database once, and all succeed", async () => {
  const home = createTemporaryHome();
  const runs = await Promise.all(
    Array.from({ length: 6 }, async (_, index) =>
      runInNewProcess(index % 3 === 0 ? ["whoami", "--json"] : visa, { home }),
    ),
  );
  expect(runs.filter(({ stderr, exitCode }) => stderr !== "" || exitCode !== 0)).toEqual([]);
  const last4 = runs
    .filter((_, index) => index % 3 === 0)
    .map((ran) => (parsePrinted(ran)["key"] as { last4: string }).last4);
  expect(new Set(last4).size).toBe(1);
  const { data } = parseList(await runPayments(["list", "--json"], { home }));
  expect(data).toHaveLength(4);
  const keys = parsePrinted(await runPayments(["keys", "list", "--json"], { home }))["data"];
  expect((keys as { mode: string }[]).map(({ mode }) => mode).toSorted()).toEqual(["live", "test"]);
  expect(readdirSync(home).filter((name) => name.endsWith(".tmp"))).toEqual([]);
});

describe.concurrent("an unusable home is exit 9, and the error names the file:", () => {
  test.each([
    ["login-test.json", "{"],
    ["config.json", "null"],
    ["embedded-keys.json", ""],
    ["payments.db", "This is no database, but a text that is long enough to be one."],
  ])("a damaged %s (%j)", async (name, content) => {
    const home = createTemporaryHome();
    writeFileSync(join(home, name), content);
    const ran = await runPayments(["list", "--json"], { home });
    expect(ran.exitCode).toBe(9);
    expect(parseError(ran)).toMatchObject({ code: "unavailable", http_status: null });
    expect(parseError(ran)["message"]).toContain(join(home, name));
    expect(readFileSync(join(home, name), "utf8")).toBe(content);
  });

  test("a read-only home", async () => {
    const home = createTemporaryHome();
    chmodSync(temporaryRoot, 0o755);
    chmodSync(home, 0o555);
    const runs = await Promise.all([
      runPayments(visa, { home, ...outsider }),
      runPayments(["mode", "live", "--json"], { home, ...outsider }),
    ]);
    for (const ran of runs) {
      expect(ran.exitCode).toBe(9);
      expect(parseError(ran)["message"]).toContain(home);
    }
    expect(readdirSync(home)).toEqual([]);
  });
});

describe.concurrent("below /proc, where no folder can be created,", () => {
  needs(onLinux, "/proc, as Linux has it");

  test.each([
    ["PAYMENTS_HOME", "list"],
    ["HOME", "migrate"],
  ])("%s is exit 9, and said: %s", async (variable, command) => {
    const env = {
      PAYMENTS_HOME: undefined,
      PAYMENTS_DATABASE: undefined,
      [variable]: "/proc/none",
    };
    const ran = await runPayments([...command.split(" "), "--json"], { env });
    expect(ran.exitCode).toBe(9);
    const { message, hint } = parseError(ran);
    expect(message).toContain("/proc/none/");
    expect(message).toContain("its folder is missing, and cannot be made");
    expect(hint).toMatch(/^Check its path, or /);
  });

  test("a missing folder for temporary files only makes commands start more slowly", async () => {
    const ran = await runInNewProcess(["mode"], { env: { TMPDIR: "/proc/none" } });
    expect(ran).toEqual({ stdout: "test\n", stderr: "", exitCode: 0 });
  });
});

test("the command waits for a late key", async () => {
  const readStarted = Promise.withResolvers<void>();
  const stdin = new Readable({ read: () => readStarted.resolve() });
  const argv = ["whoami", "--api-key-file", "-", "--offline", "--json"];
  const ran = runInThisProcess(argv, createEnvironment({}), stdin);
  await readStarted.promise;
  stdin.push(`${someKeys.live}\n`);
  stdin.push(null);
  expect(parsePrinted(await ran)).toMatchObject({
    mode: "live",
    key: { source: "standard input" },
  });
});

test("the command waits for late input from a pipe", async () => {
  const argv = [launcher, "create", "--data", "-", "--dry-run", "--json"];
  const child = spawn(process.execPath, argv, { env: createEnvironment({}) });
  const ran = waitForEnd(child);
  // Larger than the pipe's buffer: once it is written, the command has read most of it and waits for the rest.
  await new Promise((resolve) => child.stdin.write(" ".repeat(1_000_000), resolve));
  child.stdin.end('{"amount":1}');
  expect(parsePrinted(await ran)).toMatchObject({ body: { amount: 1 } });
});

test("a key without an end is refused", async () => {
  const ran = await runInShell("payments whoami --api-key-file - --offline < /dev/zero");
  expect(ran).toMatchObject({ stdout: "", exitCode: 2 });
  expect(ran.stderr).toContain("larger than 4 KiB");
});

test("a key cannot be typed in a terminal that shows it", async ({ skip }) => {
  skip(!hasTerminals, noTerminals);
  const terminal = runInTerminal(["whoami", "--api-key-file", "-", "--offline"]);
  expect(await terminal.exitCode).toBe(2);
  expect(terminal.screen()).toContain("hidden prompt of payments login");
});

describe.concurrent("a path with ~ that no shell has seen is below the user's home:", () => {
  test.each([
    ["PAYMENTS_HOME=~/made", "list", "made/payments.db"],
    ["PAYMENTS_DATABASE=sqlite:~/made.db", "migrate", "made.db"],
    ["", "migrate --database sqlite:~/made.db", "made.db"],
    ["", "migrate --database=sqlite:~/made/made.db", "made/made.db"],
    ["PAYMENTS_HOME=~/begun", "backup ~/copy.db", "copy.db"],
    ["PAYMENTS_HOME=~/begun", "create --amount 1 --currency eur --card-file=~/card.json", ""],
    ["PAYMENTS_HOME=~/begun", "create --data=~/body.json", ""],
    ["PAYMENTS_HOME=~/begun", "fixtures ~/fixtures.json", ""],
    ["PAYMENTS_HOME=~/begun", "reconcile --mode test --report=~/report.csv", ""],
    ["PAYMENTS_HOME=~/begun", "whoami --offline --api-key-file=~/key", ""],
  ])("%s payments %s", async (variable, command, made) => {
    const user = createTemporaryHome();
    const [name = "", value = ""] = variable.split("=");
    const env = {
      HOME: user,
      PAYMENTS_HOME: join(user, "begun"),
      ...(variable !== "" && { [name]: value }),
    };
    await runPayments(["migrate"], { env: { HOME: user, PAYMENTS_HOME: join(user, "begun") } });
    const card = { number: "4242424242424242", exp_month: 1, exp_year: 2040, cvc: "123" };
    writeFileSync(join(user, "card.json"), JSON.stringify(card));
    writeFileSync(join(user, "body.json"), JSON.stringify({ amount: 1, currency: "eur", card }));
    writeFileSync(
      join(user, "fixtures.json"),
      JSON.stringify({ fixtures: [{ create: { amount: 1, currency: "eur", test_card: "visa" } }] }),
    );
    writeFileSync(join(user, "report.csv"), "id,amount,currency,status\n");
    writeFileSync(join(user, "key"), someKeys.test);
    expect(await runPayments(command.split(" "), { env })).toMatchObject({ exitCode: 0 });
    expect(existsSync(join(user, made))).toBe(true);
    expect(readdirSync(temporaryRoot)).not.toContain("~");
  });

  test("another user's home is exit 2, and no folder", async () => {
    const ran = await runPayments(["migrate", "--json"], { env: { PAYMENTS_HOME: "~ada/pay" } });
    expect(ran.exitCode).toBe(2);
    expect(parseError(ran)["message"]).toMatch(/^A path that begins with ~NAME/);
    expect(readdirSync(temporaryRoot)).not.toContain("~ada");
  });
});
