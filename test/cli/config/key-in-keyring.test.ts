import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { deleteLogin, readLogin, storeLogin } from "../../../src/cli/config/profile.ts";
import { resolveSettings } from "../../../src/cli/config/resolve-settings.ts";
import type { Mode } from "../../../src/contract/field-values.ts";
import { createMemoryKeyring } from "../../testkit/command/keyrings.ts";
import { createTemporaryHome, someKeys } from "../../testkit/temporary.ts";

const baseUrl = "https://payments.example.com";
const elsewhere = "https://elsewhere.example.com";
const otherKey = `${someKeys.test.slice(0, -4)}zzzz`;
const last4 = someKeys.test.slice(-4);
const locked = { answer: "locked", reason: "the keyring is locked" } as const;
const silent = {
  answer: "unavailable",
  reason: "the keyring did not answer within 2 s",
} as const;

/** A home, a keyring, and functions that use both. */
function createFixture(keyring = createMemoryKeyring()) {
  const home = createTemporaryHome();
  const directories = { config: home, data: home };
  const file = (mode: Mode) => join(home, `login-${mode}.json`);
  return {
    home,
    keyring,
    file,
    content: (mode: Mode) => JSON.parse(readFileSync(file(mode), "utf8")) as unknown,
    login: (key: string = someKeys.test, url = baseUrl, mode: Mode = "test") =>
      storeLogin(directories, mode, { baseUrl: url, key }, keyring),
    logout: (mode: Mode = "test") => deleteLogin(directories, mode, keyring),
    stored: (mode: Mode = "test") => readLogin(directories, mode, keyring),
  };
}
const toAccount = (key: string, url = baseUrl, mode = "test") => `${mode} ${url} ${key.slice(-4)}`;

describe("a login with a keyring", () => {
  test("stores its key there, and only the key's last characters in the file", () => {
    const { keyring, login, content, stored } = createFixture();
    expect(login()).toEqual({ inFile: undefined, left: undefined });
    expect([...keyring.entries]).toEqual([[toAccount(someKeys.test), someKeys.test]]);
    expect(content("test")).toEqual({ base_url: baseUrl, keyring: true, last4 });
    expect(stored()?.key).toMatchObject({ source: "keyring", last4 });
    expect(stored()?.key.value()).toBe(someKeys.test);
  });

  test("reads it once, and only if the key is used", async () => {
    const { home, keyring, login } = createFixture();
    login();
    keyring.calls.length = 0;
    const settings = await resolveSettings({}, { PAYMENTS_HOME: home }, { keyring });
    expect(settings).toMatchObject({ baseUrl, key: { source: "keyring" } });
    expect(keyring.calls).toEqual([]);
    settings.key?.value();
    settings.key?.value();
    expect(keyring.calls).toEqual([`get ${toAccount(someKeys.test)}`]);
  });

  test("does not change the other mode's key, nor does logging out", () => {
    const { keyring, login, logout, stored } = createFixture();
    login(someKeys.live, elsewhere, "live");
    login();
    expect(stored()?.key.value()).toBe(someKeys.test);
    expect(logout()).toEqual({ wasThere: true, left: undefined });
    expect(stored()).toBeUndefined();
    expect(stored("live")?.key.value()).toBe(someKeys.live);
    expect([...keyring.entries.values()]).toEqual([someKeys.live]);
  });

  test.each([
    ["another key", otherKey, baseUrl],
    ["the same key at another service", someKeys.test, elsewhere],
    ["another key at another service", otherKey, elsewhere],
    ["the same key again", someKeys.test, baseUrl],
  ])("that is replaced by %s leaves no entry behind", (_, key, url) => {
    const { keyring, login, stored } = createFixture();
    login();
    expect(login(key, url).left).toBeUndefined();
    expect([...keyring.entries]).toEqual([[toAccount(key, url), key]]);
    expect(stored()).toMatchObject({ baseUrl: url });
    expect(stored()?.key.value()).toBe(key);
  });

  test("replaces a damaged file", () => {
    const { file, login, stored } = createFixture();
    writeFileSync(file("test"), "damaged");
    login();
    expect(stored()?.key.value()).toBe(someKeys.test);
  });
});

describe("an interrupted login", () => {
  test("leaves the old key working until the file is replaced", () => {
    const { keyring, login, stored } = createFixture();
    login();
    keyring.set = (account, secret) => {
      keyring.entries.set(account, secret);
      throw new Error("killed");
    };
    expect(() => login(otherKey)).toThrow("killed");
    expect(stored()?.key.value()).toBe(someKeys.test);
  });

  test("leaves the new key working once the file is replaced", () => {
    const { keyring, login, stored } = createFixture();
    login();
    keyring.remove = () => {
      throw new Error("killed");
    };
    expect(() => login(otherKey)).toThrow("killed");
    expect(stored()?.key.value()).toBe(otherKey);
  });

  test("removes its key from the keyring if the file cannot be written", () => {
    const { file, keyring, login } = createFixture();
    mkdirSync(join(file("test"), "in-the-way"), { recursive: true });
    expect(() => login()).toThrow(expect.objectContaining({ ending: "unavailable" }));
    expect([...keyring.entries]).toEqual([]);
  });
});

describe("a login without a keyring that works", () => {
  test.each([
    ["is locked", locked, "the keyring is locked"],
    ["does not answer", silent, silent.reason],
  ])("because it %s has its key in the file, and says why", (_, failure, since) => {
    const { keyring, file, login, content, stored } = createFixture();
    keyring.failure = failure;
    expect(login()).toEqual({ inFile: { file: file("test"), since }, left: undefined });
    expect(content("test")).toEqual({ base_url: baseUrl, key: someKeys.test });
    keyring.calls.length = 0;
    expect(stored()?.key.value()).toBe(someKeys.test);
    expect(keyring.calls).toEqual([]);
  });

  test("reports an earlier key left in the keyring, without a second call", () => {
    const { keyring, login, stored } = createFixture();
    login();
    keyring.failure = locked;
    keyring.calls.length = 0;
    expect(login(otherKey, elsewhere).left).toEqual({
      account: toAccount(someKeys.test),
      since: "the keyring is locked",
    });
    expect(keyring.calls).toHaveLength(1);
    expect(stored()?.key.value()).toBe(otherKey);
  });
});

describe("logging out", () => {
  test.each([locked, silent])(
    "deletes the file with a keyring that is %j, and reports the entry that is left",
    (failure) => {
      const { keyring, login, logout, stored } = createFixture();
      login();
      keyring.failure = failure;
      expect(logout()).toEqual({
        wasThere: true,
        left: {
          account: toAccount(someKeys.test),
          since: failure.reason,
        },
      });
      expect(stored()).toBeUndefined();
    },
  );

  test("can be repeated after an interruption", () => {
    const { keyring, login, logout } = createFixture();
    login();
    const { remove } = keyring;
    keyring.remove = (account) => {
      remove(account);
      throw new Error("killed");
    };
    expect(() => logout()).toThrow("killed");
    keyring.remove = remove;
    expect(logout()).toEqual({ wasThere: true, left: undefined });
    expect(logout()).toEqual({ wasThere: false, left: undefined });
  });

  test("of a key in a file calls no keyring", () => {
    const { keyring, file, logout } = createFixture();
    writeFileSync(file("test"), JSON.stringify({ base_url: baseUrl, key: someKeys.test }));
    expect(logout()).toEqual({ wasThere: true, left: undefined });
    expect(keyring.calls).toEqual([]);
  });
});

describe("a key that the keyring does not return is an error with a hint:", () => {
  const again = `Log in again with payments login --base-url ${baseUrl}, or give the key in PAYMENTS_API_KEY or with --api-key-file.`;
  const its = `The test key for ${baseUrl}`;

  test.each([
    ["missing", undefined, `${its} is no longer in the keyring.`],
    ["empty", "", `${its} is empty in the keyring.`],
    ["malformed", `svc_test_sk_${last4}`, `${its} was replaced in the keyring by something else.`],
    [
      "of live mode",
      someKeys.live.slice(0, -4) + last4,
      `${its} was replaced in the keyring by something else.`,
    ],
    ["another", otherKey, `${its} was replaced in the keyring by something else.`],
  ])("one that is %s", (_, secret, message) => {
    const { keyring, login, stored } = createFixture();
    login();
    if (secret === undefined) keyring.entries.clear();
    else keyring.entries.set(toAccount(someKeys.test), secret);
    expect(() => stored()?.key.value()).toThrow(
      expect.objectContaining({ ending: "key", message, hint: again }),
    );
  });

  test.each([
    [locked, "the keyring is locked", /^Unlock the keyring and try again, or give /],
    [
      silent,
      silent.reason,
      /^Try again where the keyring can be reached and is unlocked, log in again .+ or give /,
    ],
  ])("one in a keyring that is %j", (failure, why, hint) => {
    const { keyring, login, stored } = createFixture();
    login();
    keyring.failure = failure;
    expect(() => stored()?.key.value()).toThrow(
      expect.objectContaining({
        ending: "key",
        message: `${its} is stored in the keyring, but ${why}.`,
        hint: expect.stringMatching(hint) as unknown,
      }),
    );
  });

  test("a key in the keyring while PAYMENTS_HOME keeps secrets in files", async () => {
    const { home, login } = createFixture();
    login();
    const { key } = await resolveSettings({}, { PAYMENTS_HOME: home });
    expect(() => key?.value()).toThrow(
      `${its} is stored in the keyring, but the keyring is not used while PAYMENTS_HOME is set.`,
    );
  });
});
