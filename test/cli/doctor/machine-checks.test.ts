import { describe, expect, test } from "vitest";
import { checkClock } from "../../../src/cli/doctor/clock-check.ts";
import { checkMachine, checkNode } from "../../../src/cli/doctor/machine-checks.ts";
import { openKeyring } from "../../../src/cli/config/keyring.ts";
import { createMemoryKeyring } from "../../testkit/command/keyrings.ts";
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
