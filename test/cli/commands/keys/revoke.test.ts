import { describe, expect, test } from "vitest";
import { createTemporaryHome } from "../../../testkit/command/temporary-home.ts";
import { parseError, parsePrinted, runPayments } from "../../../testkit/command/run-payments.ts";
import { findKey, makeKey } from "../../../testkit/command/make-key.ts";

describe.concurrent("payments keys revoke", () => {
  test("revokes a key, and shows it", async () => {
    const home = createTemporaryHome();
    const { id, last4 } = await makeKey(home);
    const ran = await runPayments(["keys", "revoke", id, "--json"], { home });
    expect(ran.exitCode).toBe(0);
    expect(parsePrinted(ran)).toMatchObject({
      id,
      last4,
      revoked_at: expect.any(Number) as unknown,
    });
    expect(parsePrinted(ran)).not.toHaveProperty("key");
    expect(await findKey(home, id)).toEqual(parsePrinted(ran));
  });

  test("succeeds twice, and changes nothing the second time", async () => {
    const home = createTemporaryHome();
    const { id } = await makeKey(home);
    const first = await runPayments(["keys", "revoke", id, "--json"], { home });
    const again = await runPayments(["keys", "revoke", id], { home });
    expect(again.exitCode).toBe(0);
    expect(again.stdout).toMatch(/\nState +revoked \d{4}-/);
    expect(await findKey(home, id)).toEqual(parsePrinted(first));
  });

  test("exits with 5 for an unknown key", async () => {
    const ran = await runPayments(["keys", "revoke", "key_0", "--json"]);
    expect(ran.exitCode).toBe(5);
    expect(parseError(ran)).toMatchObject({
      code: "not_found",
      message: "There is no key with this id.",
      hint: "See payments keys list.",
    });
  });
});
