import { describe, expect, test } from "vitest";
import { openKeyring } from "../../../src/cli/config/keyring.ts";
import { needs, onLinux } from "../../testkit/runner/needs.ts";
import { silentBus } from "../../testkit/command/silent-bus.ts";
import { tellingNode } from "../../testkit/command/telling-node.ts";
import { newHome } from "../../testkit/command/temporary-home.ts";

const { PATH } = process.env;

/** Longer than starting a process takes on a busy machine. */
const limitMs = 30_000;

function answersOf(env: Record<string, string | undefined>) {
  const keyring = openKeyring({ PATH, ...env }, limitMs);
  return [keyring.get("account"), keyring.set("account", "secret"), keyring.remove("account")];
}
const unavailable = (reason: string) => ({ answer: "unavailable", reason });

describe("the keyring", () => {
  test("is never called if PAYMENTS_HOME is set", async () => {
    const bus = await silentBus();
    const env = { PAYMENTS_HOME: newHome(), DBUS_SESSION_BUS_ADDRESS: bus.address };
    const answer = unavailable("the keyring is not used while PAYMENTS_HOME is set");
    expect(answersOf(env)).toEqual([answer, answer, answer]);
  });
});

describe("the keyring of Linux", () => {
  needs(onLinux, "Linux, whose keyring is reached by D-Bus");

  test.each([{}, { XDG_RUNTIME_DIR: newHome() }])("is none without a session bus: %j", (env) => {
    const answer = unavailable("no keyring can be reached without a D-Bus session");
    expect(answersOf(env)).toEqual([answer, answer, answer]);
  });

  test("times out if its bus never responds", async () => {
    const bus = await silentBus();
    const keyring = openKeyring({ PATH, DBUS_SESSION_BUS_ADDRESS: bus.address });
    const answer = keyring.get("account");
    expect(answer).toEqual(unavailable("the keyring did not answer within 2 s"));
  });

  test("reports why its bus is unreachable", () => {
    const missing = `unix:path=${newHome()}/missing`;
    for (const answer of answersOf({ DBUS_SESSION_BUS_ADDRESS: missing })) {
      expect(answer).toMatchObject({
        answer: "unavailable",
        reason: expect.stringMatching(/^the keyring cannot be used \(.+missing.+\)$/) as unknown,
      });
    }
  });

  test("is called by a process without the key and the database in its environment", () => {
    const { NODE_OPTIONS, told } = tellingNode();
    const bus = `unix:path=${newHome()}/missing`;
    answersOf({
      NODE_OPTIONS,
      DBUS_SESSION_BUS_ADDRESS: bus,
      PAYMENTS_API_KEY: "secret",
      PAYMENTS_DATABASE: "secret",
      PGPASSWORD: "secret",
    });
    expect(told()).toMatchObject({ DBUS_SESSION_BUS_ADDRESS: bus });
    expect(JSON.stringify(told())).not.toContain('"secret"');
  });
});
