import { Chalk } from "chalk";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ApiKey } from "../../../src/contract/key.ts";
import { formatKeys, formatKey } from "../../../src/cli/output/key-text.ts";

const plain = new Chalk({ level: 0 });
const now = 1_794_744_000;

function keyWith(fields: Partial<ApiKey> = {}): ApiKey {
  return {
    id: "key_1",
    object: "api_key",
    account: "acct_1",
    mode: "test",
    name: "ci",
    last4: "wxyz",
    created: now,
    expires_at: null,
    revoked_at: null,
    last_used_at: null,
    ...fields,
  };
}

beforeEach(() => {
  vi.stubEnv("TZ", "UTC");
  vi.useFakeTimers({ now: now * 1000, toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

describe("a key", () => {
  test("is shown whole when it has just been made", () => {
    const issued = { ...keyWith(), key: "svc_test_sk_secret" };
    expect(formatKey(issued, plain)).toBe(
      [
        "Key      svc_test_sk_secret",
        "ID       key_1",
        "Account  acct_1",
        "Mode     test",
        "Name     ci",
        "Created  2026-11-15 12:00:00",
        "State    active",
      ].join("\n"),
    );
  });

  test("is shown by its last four characters afterwards", () => {
    expect(formatKey(keyWith(), plain)).toContain("Key        …wxyz\n");
  });

  test("says when it was used last, but not when it has just been made", () => {
    expect(formatKey(keyWith(), plain)).toContain("Last used  never\n");
    const used = formatKey(keyWith({ last_used_at: now + 60 }), plain);
    expect(used).toContain("Last used  2026-11-15 12:01:00\n");
    expect(formatKey({ ...keyWith(), key: "svc_test_sk_secret" }, plain)).not.toContain(
      "Last used",
    );
  });
});

describe("a table of keys", () => {
  test("keeps the ids of accounts whole in a narrow terminal", () => {
    const keys = ["1", "2"].map((digit) =>
      keyWith({ id: `key_${digit.repeat(36)}`, account: `acct_${digit.repeat(36)}` }),
    );
    const lines = formatKeys(keys, { style: plain, width: 80 }).split("\n");
    for (const { id, account } of keys) {
      expect(lines.filter((line) => line.includes(id))).toHaveLength(1);
      expect(lines.filter((line) => line.includes(account))).toHaveLength(1);
    }
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test.each([
    ["active", keyWith()],
    ["active until 2026-11-15 12:00:01", keyWith({ expires_at: now + 1 })],
    ["expired 2026-11-15 12:00:00", keyWith({ expires_at: now })],
    ["revoked 2026-11-15 12:00:00", keyWith({ revoked_at: now, expires_at: now + 9 })],
  ])("says of a key that it is %s", (state, key) => {
    expect(formatKeys([key], { style: plain })).toBe(
      [
        "ID     MODE  NAME  KEY    CREATED              LAST USED  STATE",
        `key_1  test  ci    …wxyz  2026-11-15 12:00:00  never      ${state}`,
      ].join("\n"),
    );
  });

  test("says when each was used last", () => {
    const text = formatKeys([keyWith({ last_used_at: now + 60 })], { style: plain });
    expect(text).toMatch(/ 2026-11-15 12:01:00 {2}active$/);
  });

  test("lets no name steer the terminal", () => {
    const table = formatKeys([keyWith({ name: "\u001B[2J\n" })], { style: plain });
    expect(table.split("\n")).toHaveLength(2);
    expect(table).not.toContain("\u001B");
  });
});
