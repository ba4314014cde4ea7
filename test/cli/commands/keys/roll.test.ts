import { describe, expect, test } from "vitest";
import { formatLocalTime } from "../../../../src/cli/output/format.ts";
import { createTemporaryHome } from "../../../testkit/command/temporary-home.ts";
import { parseError, parsePrinted, runPayments } from "../../../testkit/command/run-payments.ts";
import { findKey, makeKey } from "../../../testkit/command/make-key.ts";

describe.concurrent("payments keys roll", () => {
  test("creates a successor, and the old key works for the overlap", async () => {
    const home = createTemporaryHome();
    const old = await makeKey(home);
    const fromSeconds = Math.floor(Date.now() / 1000);
    const ran = await runPayments(["keys", "roll", old.id, "--overlap", "2h", "--json"], { home });
    const toSeconds = Math.ceil(Date.now() / 1000);
    expect(ran.exitCode).toBe(0);
    const successor = parsePrinted(ran);
    expect(successor).toMatchObject({
      object: "api_key",
      mode: "test",
      name: "ci",
      expires_at: null,
      revoked_at: null,
      last_used_at: null,
    });
    expect(successor["key"]).toMatch(/^svc_test_sk_[A-Za-z0-9]{43}$/);
    expect(successor["id"]).not.toBe(old.id);
    expect(successor["key"]).not.toBe(old.key);
    const expiresAt = Number((await findKey(home, old.id))?.expires_at);
    expect(expiresAt - 7_200).toBeGreaterThanOrEqual(fromSeconds);
    expect(expiresAt - 7_200).toBeLessThanOrEqual(toSeconds);
  });

  test("has a default overlap of a day, and notes it", async () => {
    const home = createTemporaryHome();
    const { id } = await makeKey(home);
    const fromSeconds = Math.floor(Date.now() / 1000);
    const ran = await runPayments(["keys", "roll", id], { home });
    const toSeconds = Math.ceil(Date.now() / 1000);
    expect(ran.stdout).toMatch(/^Key +svc_test_sk_/);
    const expiresAt = Number((await findKey(home, id))?.expires_at);
    expect(expiresAt - 86_400).toBeGreaterThanOrEqual(fromSeconds);
    expect(expiresAt - 86_400).toBeLessThanOrEqual(toSeconds);
    expect(ran.stderr).toBe(`The old key works until ${formatLocalTime(expiresAt)}.\n`);
  });

  test("exits with 5 for an ended or unknown key", async () => {
    const home = createTemporaryHome();
    const { id } = await makeKey(home);
    await runPayments(["keys", "revoke", id], { home });
    for (const ended of [id, "key_0"]) {
      const ran = await runPayments(["keys", "roll", ended, "--json"], { home });
      expect(ran.exitCode).toBe(5);
      expect(parseError(ran)["message"]).toBe("There is no active key with this id.");
    }
  });
});
