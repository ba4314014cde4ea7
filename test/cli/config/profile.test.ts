import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Directories } from "../../../src/cli/config/blank-settings.ts";
import {
  deleteLogin,
  readLogin,
  readMode,
  storeLogin,
  storeMode,
  type Login,
} from "../../../src/cli/config/profile.ts";
import type { Mode } from "../../../src/contract/field-values.ts";
import { keyringOfHome } from "../../testkit/command/keyrings.ts";
import { createTemporaryHome, someKeys } from "../../testkit/temporary.ts";

function directories() {
  const home = createTemporaryHome();
  return { config: home, data: home };
}
const baseUrl = "https://payments.example.com";

describe("the stored mode", () => {
  test("is undefined at first, then the last stored one", () => {
    const home = directories();
    expect(readMode(home)).toBeUndefined();
    storeMode(home, "live");
    storeMode(home, "test");
    expect(readMode(home)).toBe("test");
  });

  test("that is no mode makes the file damaged", () => {
    const home = directories();
    writeFileSync(join(home.config, "config.json"), '{"mode":"prod"}');
    expect(() => readMode(home)).toThrow(expect.objectContaining({ ending: "unavailable" }));
  });
});

test("files of version 0.1.0 can be read, and are replaced by the next write", () => {
  const home = directories();
  for (const [name, content] of Object.entries(ofVersion010)) {
    writeFileSync(join(home.config, name), content, { mode: 0o600 });
  }
  const { key } = JSON.parse(ofVersion010["login-test.json"]) as { key: string };
  expect(readMode(home)).toBe("live");
  expect(stored(home, "test")).toEqual({ baseUrl: "http://127.0.0.1:8402", key });
  expect(readLogin(home, "live", keyringOfHome)).toMatchObject({
    baseUrl: "https://payments.example.com",
    key: { source: "keyring", last4: "DEFG" },
  });

  storeMode(home, "live");
  store(home, "test", { baseUrl: "http://127.0.0.1:8402", key });
  for (const name of ["config.json", "login-test.json"] as const) {
    expect(readFileSync(join(home.config, name), "utf8")).toBe(ofVersion010[name]);
    expect(statSync(join(home.config, name)).mode & 0o777).toBe(0o600);
  }
});

/** The files of that version, byte for byte. */
const ofVersion010 = {
  "config.json": '{\n  "mode": "live"\n}\n',
  "login-test.json":
    '{\n  "base_url": "http://127.0.0.1:8402",\n  "key": "svc_test_sk_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"\n}\n',
  "login-live.json":
    '{\n  "base_url": "https://payments.example.com",\n  "keyring": true,\n  "last4": "DEFG"\n}\n',
};

const store = (home: Directories, mode: Mode, login: Login) =>
  storeLogin(home, mode, login, keyringOfHome);
const stored = (home: Directories, mode: Mode) => {
  const login = readLogin(home, mode, keyringOfHome);
  return login && { baseUrl: login.baseUrl, key: login.key.value() };
};

describe("a login whose key is in a file", () => {
  test("is stored for each mode separately", () => {
    const home = directories();
    const forTest = { baseUrl, key: someKeys.test };
    const forLive = { baseUrl: "http://127.0.0.1:1", key: someKeys.live };
    store(home, "test", forTest);
    store(home, "live", forLive);
    expect(stored(home, "test")).toEqual(forTest);
    expect(stored(home, "live")).toEqual(forLive);

    expect(deleteLogin(home, "test", keyringOfHome)).toEqual({ wasThere: true, left: undefined });
    expect(stored(home, "test")).toBeUndefined();
    expect(stored(home, "live")).toEqual(forLive);
  });

  test("reports its file, and why it is not in the keyring", () => {
    const home = directories();
    const file = join(home.config, "login-live.json");
    const since = "the keyring is not used while PAYMENTS_HOME is set";
    expect(store(home, "live", { baseUrl, key: someKeys.live })).toEqual({
      inFile: { file, since },
      left: undefined,
    });
    expect(readFileSync(file, "utf8")).toContain(someKeys.live);
    expect(readLogin(home, "live", keyringOfHome)?.key).toMatchObject({
      source: file,
      last4: someKeys.live.slice(-4),
    });
  });

  test.each([
    ["a key of the other mode", { base_url: baseUrl, key: someKeys.live }],
    ["a malformed key", { base_url: baseUrl, key: "svc_test_sk_short" }],
    ["no base URL", { key: someKeys.test }],
    ["no key", { base_url: baseUrl }],
    ["a keyring entry without the key's last characters", { base_url: baseUrl, keyring: true }],
    [
      "a whole key instead of its last characters",
      { base_url: baseUrl, keyring: true, last4: someKeys.test },
    ],
  ])("with %s is a damaged file, and the key is not repeated", (_, content) => {
    const home = directories();
    const file = join(home.config, "login-test.json");
    writeFileSync(file, JSON.stringify(content));
    expect(() => readLogin(home, "test", keyringOfHome)).toThrow(
      expect.objectContaining({
        ending: "unavailable",
        message: `The file ${file} is damaged.`,
        hint: expect.not.stringContaining("svc_") as unknown,
      }),
    );
  });
});
