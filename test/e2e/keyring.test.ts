import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { needs, onLinux } from "../testkit/runner/needs.ts";
import { runningService } from "../testkit/client/running-service.ts";
import {
  createEnvironment,
  parseError,
  launcher,
  parsePrinted,
  runInNewProcess,
  runPayments,
} from "../testkit/command/run-payments.ts";
import { startSilentBus } from "../testkit/command/keyrings.ts";
import { createTemporaryHome, someKeys } from "../testkit/temporary.ts";

const service = runningService();
const last4 = someKeys.test.slice(-4);

/** A user's home without PAYMENTS_HOME, and so with a keyring if there is one, and how this user runs commands. */
function user(env: Record<string, string> = {}, runCommand = runPayments) {
  const home = createTemporaryHome();
  const file = join(home, ".config", "payments", "login-test.json");
  const all = { PAYMENTS_HOME: undefined, HOME: home, ...env };
  return {
    file,
    env: createEnvironment({ env: all }),
    content: () => JSON.parse(readFileSync(file, "utf8")) as unknown,
    store: (login: object) => {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, JSON.stringify(login));
    },
    run: async (...args: string[]) => runCommand(args, { env: all }),
    login: async () =>
      runCommand(["login", "--base-url", service.url], { env: all, stdin: service.keys.test }),
  };
}

describe.concurrent("without any D-Bus", () => {
  needs(onLinux, "Linux, whose keyring is reached by D-Bus");

  it("login stores the key in a file, says so, and commands use it", async () => {
    const { run, login, file, content } = user();
    const ran = await login();
    expect(ran).toMatchObject({ stdout: "", exitCode: 0 });
    expect(ran.stderr).toBe(
      `Logged in to ${service.url} with the test key …${service.keys.test.slice(-4)}, stored in ${file}, which only you can read, since no keyring can be reached without a D-Bus session.\n`,
    );
    expect(content()).toEqual({
      base_url: service.url,
      account: expect.stringMatching(/^acct_/) as unknown,
      key: service.keys.test,
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);

    const listed = await run("list", "--json");
    expect(parsePrinted(listed)).toMatchObject({ object: "list", data: [] });
    expect(parsePrinted(await run("whoami", "--json"))).toMatchObject({
      key: { source: file },
      accepted: true,
    });
  });
});

// On a busy machine the time may be over before the first call of the keyring.
describe.concurrent("with a D-Bus that never answers", () => {
  needs(onLinux, "Linux, whose keyring is reached by D-Bus");

  const reason = "the keyring did not answer within 2 s";

  it("login falls back to a file, and says why", async () => {
    const bus = await startSilentBus();
    // The end of a process is the end of its calls, so that later ones are other commands'.
    const env = { DBUS_SESSION_BUS_ADDRESS: bus.address };
    const { run, login, file, content } = user(env, runInNewProcess);
    const ran = await login();
    expect(ran).toMatchObject({ stdout: "", exitCode: 0 });
    expect(ran.stderr).toContain(`stored in ${file}, which only you can read, since ${reason}.\n`);
    expect(content()).toEqual({
      base_url: service.url,
      account: expect.stringMatching(/^acct_/) as unknown,
      key: service.keys.test,
    });
    const callCount = bus.connections();
    expect(callCount).toBeLessThanOrEqual(1);

    expect((await run("list")).exitCode).toBe(0);
    expect((await run("logout")).exitCode).toBe(0);
    expect(bus.connections()).toBe(callCount); // neither called the keyring
  });

  it("list with a key in the keyring calls it once, and says what to do", async () => {
    const bus = await startSilentBus();
    const { run, store } = user({ DBUS_SESSION_BUS_ADDRESS: bus.address });
    store({ base_url: service.url, keyring: true, last4 });
    const ran = await run("list", "--json");
    expect(ran.exitCode).toBe(4);
    expect(parseError(ran)).toMatchObject({
      code: "key",
      message: `The test key for ${service.url} is stored in the keyring, but ${reason}.`,
      hint: expect.stringContaining("PAYMENTS_API_KEY or with --api-key-file") as unknown,
    });
    expect(bus.connections()).toBeLessThanOrEqual(1);
  });

  it("commands that need no key do not call the keyring", async () => {
    const bus = await startSilentBus();
    const { run, store } = user({ DBUS_SESSION_BUS_ADDRESS: bus.address });
    store({ base_url: service.url, keyring: true, last4 });
    const visa = ["--amount", "1", "--currency", "eur", "--test-card", "visa"];
    const [whoami, mode, dry] = await Promise.all([
      run("whoami", "--offline", "--json"),
      run("mode", "--json"),
      run("create", ...visa, "--dry-run", "--json"),
    ]);
    expect(parsePrinted(whoami)).toMatchObject({
      mode: "test",
      base_url: service.url,
      key: { source: "keyring", last4 },
      accepted: null,
      account: null,
    });
    expect(parsePrinted(mode)).toEqual({ mode: "test" });
    expect(parsePrinted(dry)).toMatchObject({ method: "POST" });
    expect(bus.connections()).toBe(0);
  });

  it("logout deletes the login, but says that the keyring still has the key: exit 9", async () => {
    const bus = await startSilentBus();
    const { run, store } = user({ DBUS_SESSION_BUS_ADDRESS: bus.address });
    store({ base_url: service.url, keyring: true, last4 });
    const ran = await run("logout");
    expect(ran.stderr).toBe(
      [
        "Deleted the test key.",
        "Commands now use the embedded service.",
        `Error: The keyring still holds the test key, since ${reason}.`,
        `  hint: Remove the entry “test ${service.url} ${last4}” from the keyring yourself, or revoke the key.\n`,
      ].join("\n"),
    );
    expect(ran.exitCode).toBe(9);
    expect((await run("whoami", "--offline")).stdout).toContain("embedded");
  });

  it("a command that is killed leaves no process behind", async () => {
    const bus = await startSilentBus();
    const { env, store } = user({ DBUS_SESSION_BUS_ADDRESS: bus.address });
    store({ base_url: service.url, keyring: true, last4 });
    const command = spawn(process.execPath, [launcher, "list"], { env, stdio: "ignore" });
    await vi.waitFor(() => expect(bus.open()).toBe(1), { timeout: 120_000 });
    command.kill("SIGKILL");
    await vi.waitFor(() => expect(bus.open()).toBe(0), { timeout: 120_000 });
  });
});
