import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  deleteSecret,
  lockFilesOf,
  readListener,
  storeListener,
  type OwnListener,
} from "../../../src/cli/listen/open-listener.ts";
import { newSecret } from "../../testkit/api-objects.ts";
import { keyringOfHome, createMemoryKeyring } from "../../testkit/command/keyrings.ts";
import { createTemporaryHome } from "../../testkit/temporary.ts";

const made = { endpointId: "we_0199c5a8", secret: newSecret() };

function createOwnListener(fields: Partial<OwnListener> = {}): OwnListener {
  const home = createTemporaryHome();
  return {
    directories: { config: home, data: home },
    accountId: "acct_1",
    mode: "test",
    baseUrl: "https://payments.example.com",
    database: "sqlite:payments.db",
    name: "default",
    ...fields,
  };
}

function findListenerFile({ directories: { config } }: OwnListener): string {
  const [name = ""] = readdirSync(config);
  return join(config, name);
}

describe("a listener", () => {
  test("is found after it is stored, and no other", () => {
    const own = createOwnListener();
    storeListener(own, made, keyringOfHome);
    expect(readListener(own, keyringOfHome)).toEqual(made);
    const others: Partial<OwnListener>[] = [
      { accountId: "acct_2" },
      { mode: "live" },
      { baseUrl: "https://elsewhere.example.com" },
      { baseUrl: "embedded" },
      { name: "second" },
    ];
    for (const other of others) {
      expect(readListener({ ...own, ...other }, keyringOfHome)).toBeUndefined();
      expect(lockFilesOf({ ...own, ...other })).not.toEqual(lockFilesOf(own));
    }
  });

  test("of the embedded service belongs to its database, whatever the path to that", () => {
    const own = createOwnListener({ baseUrl: "embedded", database: "sqlite:payments.db" });
    storeListener(own, made, keyringOfHome);
    const file = join(process.cwd(), "payments.db");
    const same = { ...own, database: `sqlite:${file}` };
    expect(readListener(same, keyringOfHome)).toEqual(made);
    const other = { ...own, database: "sqlite:other.db" };
    expect(readListener(other, keyringOfHome)).toBeUndefined();
  });

  test("stores no password of its database", () => {
    const database = "postgres://user:hunter2@db.example.com/payments";
    const own = createOwnListener({ baseUrl: "embedded", database });
    storeListener(own, made, keyringOfHome);
    expect(findListenerFile(own) + readFileSync(findListenerFile(own), "utf8")).not.toContain(
      "hunter2",
    );
  });

  test("without a keyring has its secret in a private file", () => {
    const own = createOwnListener();
    storeListener(own, made, keyringOfHome);
    expect(readFileSync(findListenerFile(own), "utf8")).toContain(made.secret);
    expect(statSync(findListenerFile(own)).mode & 0o777).toBe(0o600);
  });

  test("that is damaged is an error", () => {
    const own = createOwnListener();
    storeListener(own, made, keyringOfHome);
    writeFileSync(findListenerFile(own), '{"endpoint":"we_1","secret":"hunter2"}');
    expect(() => readListener(own, keyringOfHome)).toThrow("is damaged");
  });
});

function storeInKeyring() {
  const own = createOwnListener();
  const keyring = createMemoryKeyring();
  storeListener(own, made, keyring);
  return { own, keyring };
}

describe("a listener with a keyring", () => {
  test("stores its secret there, and not in the file", () => {
    const { own, keyring } = storeInKeyring();
    expect([...keyring.entries.values()]).toEqual([made.secret]);
    expect(readFileSync(findListenerFile(own), "utf8")).not.toContain("whsec_");
    expect(readListener(own, keyring)).toEqual(made);
  });

  test.each([
    ["is gone", undefined],
    ["is empty", ""],
    ["was replaced by something else", "something else"],
  ])("whose secret %s is still known, without it", (_, replaced) => {
    const { own, keyring } = storeInKeyring();
    const [entry = ""] = keyring.entries.keys();
    if (replaced === undefined) keyring.entries.delete(entry);
    else keyring.entries.set(entry, replaced);
    expect(readListener(own, keyring)).toEqual({ ...made, secret: undefined });
  });

  test("that returns no secret is an error, since a new secret would break the receiver", () => {
    const { own, keyring } = storeInKeyring();
    keyring.failure = { answer: "locked", reason: "the keyring is locked" };
    expect(() => readListener(own, keyring)).toThrow("but the keyring is locked");
  });

  test("leaves no secret there after it is replaced", () => {
    const { own, keyring } = storeInKeyring();
    storeListener(own, { endpointId: "we_new", secret: newSecret() }, keyring);
    deleteSecret(made.endpointId, keyring);
    expect([...keyring.entries.keys()]).toEqual(["listener we_new"]);
  });
});
