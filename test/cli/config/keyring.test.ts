import { describe, expect, test } from "vitest";
import { openKeyring } from "../../../src/cli/config/keyring.ts";
import { needs, onLinux } from "../../testkit/runner/needs.ts";
import { startSilentBus } from "../../testkit/command/keyrings.ts";
import { recordNodeEnvironment } from "../../testkit/command/run-payments.ts";
import { createTemporaryHome } from "../../testkit/temporary.ts";

const { PATH } = process.env;

/** Longer than starting a process takes on a busy machine. */
const limitMs = 30_000;

function collectAnswers(env: Record<string, string | undefined>) {
  const keyring = openKeyring({ PATH, ...env }, limitMs);
  return [keyring.get("account"), keyring.set("account", "secret"), keyring.remove("account")];
}
const unavailable = (reason: string) => ({ answer: "unavailable", reason });
const absent = (reason: string) => ({ answer: "absent", reason });

test("the keyring is never called if PAYMENTS_HOME is set", async () => {
  const bus = await startSilentBus();
  const env = { PAYMENTS_HOME: createTemporaryHome(), DBUS_SESSION_BUS_ADDRESS: bus.address };
  const answer = absent("the keyring is not used while PAYMENTS_HOME is set");
  expect(collectAnswers(env)).toEqual([answer, answer, answer]);
});

describe("the keyring of Linux", () => {
  needs(onLinux, "Linux, whose keyring is reached by D-Bus");

  test.each([{}, { XDG_RUNTIME_DIR: createTemporaryHome() }])(
    "is none without a session bus: %j",
    (env) => {
      const answer = absent("no keyring can be reached without a D-Bus session");
      expect(collectAnswers(env)).toEqual([answer, answer, answer]);
    },
  );

  test("times out if its bus never responds", async () => {
    const bus = await startSilentBus();
    const keyring = openKeyring({ PATH, DBUS_SESSION_BUS_ADDRESS: bus.address });
    const answer = keyring.get("account");
    expect(answer).toEqual(unavailable("the keyring did not answer within 2 s"));
  });

  test("reports why its bus is unreachable", () => {
    const missing = `unix:path=${createTemporaryHome()}/missing`;
    for (const answer of collectAnswers({ DBUS_SESSION_BUS_ADDRESS: missing })) {
      expect(answer).toMatchObject({
        answer: "unavailable",
        reason: expect.stringMatching(/^the keyring cannot be used \(.+missing.+\)$/) as unknown,
      });
    }
  });

  test("is called by a process without the key and the database in its environment", () => {
    const { NODE_OPTIONS, read } = recordNodeEnvironment();
    const bus = `unix:path=${createTemporaryHome()}/missing`;
    collectAnswers({
      NODE_OPTIONS,
      DBUS_SESSION_BUS_ADDRESS: bus,
      PAYMENTS_API_KEY: "secret",
      PAYMENTS_DATABASE: "secret",
      PGPASSWORD: "secret",
    });
    expect(read()).toMatchObject({ DBUS_SESSION_BUS_ADDRESS: bus });
    expect(JSON.stringify(read())).not.toContain('"secret"');
  });
});
