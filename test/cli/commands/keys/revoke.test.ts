import { describe, expect, test, vi } from "vitest";
import { PaymentsClient } from "../../../../src/client/client.ts";
import type { ApiError } from "../../../../src/client/errors.ts";
import { newHome } from "../../../testkit/command/temporary-home.ts";
import { errorIn, printed, runPayments } from "../../../testkit/command/run-payments.ts";
import { servePayments } from "../../../testkit/command/serve-payments.ts";
import { listedKey, makeKey } from "../../../testkit/command/make-key.ts";

describe.concurrent("payments keys revoke", () => {
  test("ends a key, and shows it", async () => {
    const home = newHome();
    const { id, last4 } = await makeKey(home);
    const ran = await runPayments(["keys", "revoke", id, "--json"], { home });
    expect(ran.exitCode).toBe(0);
    expect(printed(ran)).toMatchObject({ id, last4, revoked_at: expect.any(Number) as unknown });
    expect(printed(ran)).not.toHaveProperty("key");
    expect(await listedKey(home, id)).toEqual(printed(ran));
  });

  test("twice is no failure, and changes nothing", async () => {
    const home = newHome();
    const { id } = await makeKey(home);
    const first = await runPayments(["keys", "revoke", id, "--json"], { home });
    const again = await runPayments(["keys", "revoke", id], { home });
    expect(again.exitCode).toBe(0);
    expect(again.stdout).toMatch(/\nState +revoked \d{4}-/);
    expect(await listedKey(home, id)).toEqual(printed(first));
  });

  test("is obeyed by a running service that knew the key", async () => {
    const home = newHome();
    const { id, key } = await makeKey(home);
    const serving = await servePayments(["--log-level", "silent"], { home });
    const client = new PaymentsClient({ apiKey: key, baseUrl: serving.url });
    await client.payments.list();
    await runPayments(["keys", "revoke", id], { home });
    const told = async () =>
      client.payments.list().then(
        () => "accepted",
        (error: unknown) => (error as ApiError).code,
      );
    await vi.waitUntil(async () => (await told()) !== "accepted", { timeout: 120_000 });
    expect(await told()).toBe("invalid_api_key");
    await client.close();
    await serving.end("SIGTERM");
  });

  test("of a key that is not there is exit 5", async () => {
    const ran = await runPayments(["keys", "revoke", "key_0", "--json"]);
    expect(ran.exitCode).toBe(5);
    expect(errorIn(ran)).toMatchObject({
      code: "not_found",
      message: "There is no key with this id.",
      hint: "See payments keys list.",
    });
  });
});
