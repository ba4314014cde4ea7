import { describe, expect, test } from "vitest";
import { newHome } from "../../../testkit/command/temporary-home.ts";
import { errorIn, printed, runPayments } from "../../../testkit/command/run-payments.ts";
import { listedKey, makeKey } from "../../../testkit/command/make-key.ts";

describe.concurrent("payments keys revoke", () => {
  test("revokes a key, and shows it", async () => {
    const home = newHome();
    const { id, last4 } = await makeKey(home);
    const ran = await runPayments(["keys", "revoke", id, "--json"], { home });
    expect(ran.exitCode).toBe(0);
    expect(printed(ran)).toMatchObject({ id, last4, revoked_at: expect.any(Number) as unknown });
    expect(printed(ran)).not.toHaveProperty("key");
    expect(await listedKey(home, id)).toEqual(printed(ran));
  });

  test("succeeds twice, and changes nothing the second time", async () => {
    const home = newHome();
    const { id } = await makeKey(home);
    const first = await runPayments(["keys", "revoke", id, "--json"], { home });
    const again = await runPayments(["keys", "revoke", id], { home });
    expect(again.exitCode).toBe(0);
    expect(again.stdout).toMatch(/\nState +revoked \d{4}-/);
    expect(await listedKey(home, id)).toEqual(printed(first));
  });

  test("exits with 5 for an unknown key", async () => {
    const ran = await runPayments(["keys", "revoke", "key_0", "--json"]);
    expect(ran.exitCode).toBe(5);
    expect(errorIn(ran)).toMatchObject({
      code: "not_found",
      message: "There is no key with this id.",
      hint: "See payments keys list.",
    });
  });
});
