import { describe, expect, test } from "vitest";
import { createTemporaryHome } from "../../../testkit/command/temporary-home.ts";
import { parsePrinted, runPayments } from "../../../testkit/command/run-payments.ts";

describe.concurrent("payments keys create", () => {
  test.each(["test", "live"])("creates a %s key, and prints it in full", async (mode) => {
    const args = ["keys", "create", "--mode", mode, "--name", "ci", "--json"];
    const home = createTemporaryHome();
    const fromSeconds = Math.floor(Date.now() / 1000);
    const ran = await runPayments(args, { home });
    const toSeconds = Math.ceil(Date.now() / 1000);
    expect(ran.exitCode).toBe(0);
    const key = parsePrinted(ran);
    expect(key).toEqual({
      id: expect.stringMatching(/^key_[0-9a-f-]{36}$/) as unknown,
      object: "api_key",
      account: expect.stringMatching(/^acct_[0-9a-f-]{36}$/) as unknown,
      mode,
      name: "ci",
      key: expect.stringMatching(new RegExp(`^svc_${mode}_sk_[A-Za-z0-9]{43}$`)) as unknown,
      last4: String(key["key"]).slice(-4),
      created: expect.any(Number) as unknown,
      expires_at: null,
      revoked_at: null,
      last_used_at: null,
    });
    expect(key["created"]).toBeGreaterThanOrEqual(fromSeconds);
    expect(key["created"]).toBeLessThanOrEqual(toSeconds);
    const listed = await runPayments(["keys", "list"], { home });
    expect(listed.stdout).toContain(`…${String(key["last4"])}`);
    expect(listed.stdout).not.toContain(String(key["key"]));
  });

  test("prints the key on standard output, and the warning on standard error", async () => {
    const ran = await runPayments(["keys", "create", "--mode", "test", "--name", "ci"]);
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout).toMatch(/^Key +svc_test_sk_[A-Za-z0-9]{43}\nID +key_/);
    expect(ran.stdout).toMatch(/\nState +active\n$/);
    expect(ran.stderr).toBe("Store the key now: it is not shown again.\n");
  });
});
