import { chmodSync, chownSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openKeyring } from "../../../src/cli/config/keyring.ts";
import { checkFiles, checkMachine, checkNode } from "../../../src/cli/doctor/machine-checks.ts";
import { checkClock } from "../../../src/cli/doctor/service-checks.ts";
import { createMemoryKeyring } from "../../testkit/command/keyrings.ts";
import { isRoot, outsider } from "../../testkit/command/run-payments.ts";
import { createTemporaryHome } from "../../testkit/temporary.ts";

type Machine = Parameters<typeof checkMachine>[0];

/** The checks of a machine by their names. */
function examine(machine: Partial<Machine> = {}) {
  const home = createTemporaryHome();
  const checks = checkMachine({
    env: {},
    directories: { config: home, data: home },
    keyring: createMemoryKeyring(),
    baseUrl: undefined,
    ...machine,
  });
  return Object.fromEntries([...checks].map((check) => [check.name, check]));
}

test("a machine with all that commands need is well", () => {
  const { node, keyring, files, ...others } = examine();
  expect([node, keyring, files].map((check) => check?.status)).toEqual(["ok", "ok", "ok"]);
  expect(others).toEqual({});
});

test("a Node that is too old fails: npm install node@24", () => {
  expect(checkNode("24.15.0").status).toBe("ok");
  for (const version of ["24.14.1", "20.19.0"])
    expect(checkNode(version)).toMatchObject({ status: "fail", help: "npm install node@24" });
});

describe("a keyring", () => {
  test("that is not there, as on a server, is not missed: no command would help", () => {
    const keyring = openKeyring({});
    expect(examine({ keyring })["keyring"]).toMatchObject({
      status: "ok",
      detail:
        "Keys are stored in files that only you can read, not in a keyring: no keyring can be reached without a D-Bus session.",
      help: null,
    });
  });

  test("that does not answer is a warning: start it again", () => {
    const keyring = createMemoryKeyring();
    keyring.failure = { answer: "unavailable", reason: "the keyring did not answer within 2 s" };
    expect(examine({ keyring })["keyring"]).toMatchObject({
      status: "warn",
      help: "Start the keyring again, then payments login",
    });
  });

  test("that is locked is a warning: unlock it", () => {
    const keyring = createMemoryKeyring();
    keyring.failure = { answer: "locked", reason: "the keyring is locked" };
    expect(examine({ keyring })["keyring"]).toMatchObject({
      status: "warn",
      help: "Unlock the keyring, then payments login",
    });
  });

  test("is not missed with PAYMENTS_HOME, and is only read", () => {
    const env = { PAYMENTS_HOME: "/home" };
    expect(examine({ env, keyring: openKeyring(env) })["keyring"]?.status).toBe("ok");
    const keyring = createMemoryKeyring();
    examine({ keyring });
    expect(keyring.calls).toEqual(["get payments doctor"]);
  });
});

describe("the proxy", () => {
  const baseUrl = "https://payments.example";

  test("is the one that requests go through, without its password", () => {
    const env = { HTTPS_PROXY: "http://ada:secret@proxy.example:3128", NO_PROXY: "*.internal" };
    expect(examine({ baseUrl, env })["proxy"]).toMatchObject({
      status: "ok",
      detail:
        "Requests to payments.example go through http://proxy.example:3128, except for *.internal (NO_PROXY).",
    });
    const own = examine({ baseUrl: "http://127.0.0.1:8402", env: { HTTP_PROXY: "p:1" } });
    expect(own["proxy"]?.detail).toContain("go through no proxy: it is this machine");
    const ruledOut = examine({ baseUrl, env: { ...env, NO_PROXY: "example" } });
    expect(ruledOut["proxy"]?.detail).toContain("NO_PROXY rules out proxy.example:3128");
  });

  test("whose address is none fails: unset HTTPS_PROXY; its password is not shown", () => {
    const env = { HTTPS_PROXY: "http://user:secret@:x" };
    const { proxy } = examine({ baseUrl, env });
    expect(proxy).toMatchObject({ status: "fail", help: "unset HTTPS_PROXY https_proxy" });
    expect(JSON.stringify(proxy)).not.toContain("secret");
  });
});

describe("the clock", () => {
  const serviceMs = Date.UTC(2026, 10, 15, 12);
  const headers = { date: new Date(serviceMs).toUTCString() };
  const answer = (offsetMs: number, roundTripMs = 10) =>
    checkClock({ headers, status: 200, body: "", receivedAtMs: serviceMs + offsetMs, roundTripMs });

  test("that is the service's is well, half the round trip and the header's whole seconds allowed", () => {
    expect(answer(0)?.status).toBe("ok");
    expect(answer(2_400)?.status).toBe("ok");
    expect(answer(0, 60_000)?.status).toBe("ok");
  });

  test.each([
    [3_600_000, "fail", "59m ahead of"],
    [-3_600_000, "fail", "1h behind"],
    [10_000, "warn", "9s ahead of"],
  ])("that is %d ms off is told: timedatectl set-ntp true", (offsetMs, status, said) => {
    const check = answer(offsetMs);
    expect(check).toMatchObject({ status, help: "timedatectl set-ntp true" });
    expect(check?.detail).toContain(said);
  });

  test("of a service that sends none is not judged", () => {
    const response = { status: 200, body: "", receivedAtMs: 0, roundTripMs: 0 };
    expect(checkClock({ ...response, headers: {} })).toBeUndefined();
  });
});

const uid = process.getuid?.() ?? 0;

function createHome(mode = 0o700) {
  const home = createTemporaryHome();
  chmodSync(home, mode);
  return { home, directories: { config: home, data: home } };
}

test("files that only their owner can read are well, and so is a home that is yet to be made", () => {
  const { home, directories } = createHome();
  writeFileSync(join(home, "login-test.json"), "{}", { mode: 0o600 });
  expect(checkFiles(directories)).toMatchObject([{ status: "ok", help: null }]);
  const missing = join(home, "new", "home");
  expect(checkFiles({ config: missing, data: missing })).toMatchObject([{ status: "ok" }]);
  expect(readdirSync(home)).toEqual(["login-test.json"]);
});

test("a key's file that others can read fails: chmod 600", () => {
  const { home, directories } = createHome();
  const file = join(home, "login-live.json");
  writeFileSync(file, "{}", { mode: 0o644 });
  chmodSync(file, 0o644);
  expect(checkFiles(directories)).toMatchObject([
    { name: "files", status: "fail", help: `chmod 600 ${file}` },
  ]);
});

test.each([
  "listener-0123456789abcdef.lock",
  "listener-0123456789abcdef.lock-journal",
  "listener-0123456789abcdef.making",
  "payments.db",
  "payments.db-wal",
  "payments.db-shm",
  "payments.db-journal",
  "errors.html",
  ".payments-0123456789ab.partial",
])("every file that the command makes is looked at: %s", (name) => {
  const { home, directories } = createHome();
  const file = join(home, name);
  writeFileSync(file, "");
  chmodSync(file, 0o666);
  expect(checkFiles(directories)).toMatchObject([{ status: "fail", help: `chmod 600 ${file}` }]);
});

test("a folder to which others can write fails: chmod 700", () => {
  const { home, directories } = createHome(0o775);
  expect(checkFiles(directories)).toMatchObject([{ status: "fail", help: `chmod 700 ${home}` }]);
});

test("what belongs to another user fails: chown", () => {
  const { home, directories } = createHome();
  expect(checkFiles(directories, uid + 1)).toMatchObject([
    { status: "fail", help: `sudo chown ${uid + 1} ${home}` },
  ]);
});

test("root is warned of what belongs to another user: run as that user", ({ skip }) => {
  skip(!isRoot, "needs root");
  const { home, directories } = createHome();
  chownSync(home, outsider.uid ?? 0, outsider.gid ?? 0);
  const help = `sudo -u '#${outsider.uid}' payments doctor`;
  expect(checkFiles(directories)).toMatchObject([{ status: "warn", help }]);
});

test("a file in the place of the folder fails: another PAYMENTS_HOME", () => {
  const { home } = createHome();
  const file = join(home, "it's a file");
  writeFileSync(file, "");
  const help = "export PAYMENTS_HOME=FOLDER";
  expect(checkFiles({ config: file, data: file })).toMatchObject([{ status: "fail", help }]);
  const below = join(file, "below");
  expect(checkFiles({ config: below, data: below })).toMatchObject([{ status: "fail", help }]);
});

test("the file in a command is quoted for a shell", () => {
  const { home } = createHome();
  const folder = join(home, "it's mine");
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  const [check] = checkFiles({ config: folder, data: folder });
  expect(check?.help).toBe(`chmod 700 '${folder.replace("'", String.raw`'\''`)}'`);
});
