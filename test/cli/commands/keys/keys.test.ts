import { describe, expect, test } from "vitest";
import { parsePrinted, runPayments, parseError } from "../../../testkit/command/run-payments.ts";
import { formatLocalTime } from "../../../../src/cli/output/style.ts";
import { findKey, makeKey } from "../../../testkit/command/prepare-home.ts";
import { createHomeWithDatabase } from "../../../testkit/database/open-database.ts";

describe.concurrent("payments keys create", () => {
  test.each(["test", "live"])("creates a %s key, and prints it in full", async (mode) => {
    const args = ["keys", "create", "--mode", mode, "--name", "ci", "--json"];
    const home = await createHomeWithDatabase();
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
      permissions: ["create", "read", "refund", "webhooks"],
      max_refund: null,
    });
    expect(key["created"]).toBeGreaterThanOrEqual(fromSeconds);
    expect(key["created"]).toBeLessThanOrEqual(toSeconds);
    const listed = await runPayments(["keys", "list"], { home });
    expect(listed.stdout).toContain(`…${String(key["last4"])}`);
    expect(listed.stdout).not.toContain(String(key["key"]));
  });

  test("prints the key on standard output, and the warning on standard error", async () => {
    const home = await createHomeWithDatabase();
    const ran = await runPayments(["keys", "create", "--mode", "test", "--name", "ci"], { home });
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout).toMatch(/^Key +svc_test_sk_[A-Za-z0-9]{43}\nID +key_/);
    expect(ran.stdout).toMatch(/\nState +active\n$/);
    expect(ran.stderr).toBe("Store the key now: it is not shown again.\n");
  });
});

describe.concurrent("payments keys list", () => {
  test("prints an empty list as JSON, and a note as text", async () => {
    const home = await createHomeWithDatabase();
    expect(await runPayments(["keys", "list", "--json"], { home })).toEqual({
      stdout: '{"object":"list","data":[]}\n',
      stderr: "",
      exitCode: 0,
    });
    expect(await runPayments(["keys", "list"], { home })).toEqual({
      stdout: "",
      stderr: "No keys. Make one with payments keys create.\n",
      exitCode: 0,
    });
  });

  test("shows every key without its secret, oldest first, ended ones too", async () => {
    const home = await createHomeWithDatabase();
    const create = async (mode: string, name: string) =>
      parsePrinted(
        await runPayments(["keys", "create", "--mode", mode, "--name", name, "--json"], { home }),
      );
    const first = await create("test", "first");
    const second = await create("live", "second");
    await runPayments(["keys", "revoke", String(first["id"])], { home });

    const { key: secretOfFirst, ...shownOfFirst } = first;
    const { key: secretOfSecond, ...shownOfSecond } = second;
    const asJson = await runPayments(["keys", "list", "--json"], { home });
    expect(parsePrinted(asJson)).toEqual({
      object: "list",
      data: [{ ...shownOfFirst, revoked_at: expect.any(Number) as unknown }, shownOfSecond],
    });
    const asText = await runPayments(["keys", "list"], { home });
    const lines = asText.stdout.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^ID +MODE +NAME +KEY +CREATED +LAST USED +STATE$/);
    expect(lines[1]).toMatch(/^key_\S+ +test +first +…\w{4} .+ revoked \d{4}-/);
    expect(lines[2]).toMatch(/^key_\S+ +live +second +…\w{4} .+ active$/);
    for (const secret of [secretOfFirst, secretOfSecond]) {
      expect(asJson.stdout + asText.stdout).not.toContain(secret);
    }
  });
});

describe.concurrent("payments keys roll", () => {
  test("creates a successor, and the old key works for the overlap", async () => {
    const home = await createHomeWithDatabase();
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
    const home = await createHomeWithDatabase();
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
    const home = await createHomeWithDatabase();
    const { id } = await makeKey(home);
    await runPayments(["keys", "revoke", id], { home });
    for (const ended of [id, "key_0"]) {
      const ran = await runPayments(["keys", "roll", ended, "--json"], { home });
      expect(ran.exitCode).toBe(5);
      expect(parseError(ran)["message"]).toBe("There is no active key with this id.");
    }
  });
});

describe.concurrent("payments keys revoke", () => {
  test("revokes a key, and shows it", async () => {
    const home = await createHomeWithDatabase();
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

  test("exits with 5 for an unknown key", async () => {
    const home = await createHomeWithDatabase();
    const ran = await runPayments(["keys", "revoke", "key_0", "--json"], { home });
    expect(ran.exitCode).toBe(5);
    expect(parseError(ran)).toMatchObject({
      code: "not_found",
      message: "There is no key with this id.",
      hint: "See payments keys list.",
    });
  });
});
