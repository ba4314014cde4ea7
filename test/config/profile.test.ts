import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  forgetLogin,
  storedLogin,
  storedMode,
  storeLogin,
  storeMode,
} from "../../src/config/profile.ts";
import { newHome, someKeys } from "./temporary-home.ts";

function directories() {
  const home = newHome();
  return { config: home, data: home };
}
const baseUrl = "https://payments.example.com";

describe("the stored mode", () => {
  test("is none at first, then the one stored last", () => {
    const home = directories();
    expect(storedMode(home)).toBeUndefined();
    storeMode(home, "live");
    storeMode(home, "test");
    expect(storedMode(home)).toBe("test");
  });

  test("that is no mode is a damaged file", () => {
    const home = directories();
    writeFileSync(join(home.config, "config.json"), '{"mode":"prod"}');
    expect(() => storedMode(home)).toThrow(expect.objectContaining({ kind: "storage" }));
  });
});

describe("a login", () => {
  test("is kept for each mode on its own", () => {
    const home = directories();
    const forTest = { baseUrl, key: someKeys.test };
    const forLive = { baseUrl: "http://127.0.0.1:1", key: someKeys.live };
    storeLogin(home, "test", forTest);
    storeLogin(home, "live", forLive);
    expect(storedLogin(home, "test")).toEqual(forTest);
    expect(storedLogin(home, "live")).toEqual(forLive);

    forgetLogin(home, "test");
    expect(storedLogin(home, "test")).toBeUndefined();
    expect(storedLogin(home, "live")).toEqual(forLive);
  });

  test("is in the file that storing it names", () => {
    const home = directories();
    const file = storeLogin(home, "live", { baseUrl, key: someKeys.live });
    expect(file.startsWith(home.config)).toBe(true);
    expect(readFileSync(file, "utf8")).toContain(someKeys.live);
  });

  test.each([
    ["a key of the other mode", { base_url: baseUrl, key: someKeys.live }],
    ["a malformed key", { base_url: baseUrl, key: "svc_test_sk_short" }],
    ["no base URL", { key: someKeys.test }],
  ])("with %s is a damaged file, and the key is not repeated", (_, content) => {
    const home = directories();
    const file = storeLogin(home, "test", { baseUrl, key: someKeys.test });
    writeFileSync(file, JSON.stringify(content));
    expect(() => storedLogin(home, "test")).toThrow(
      expect.objectContaining({
        kind: "storage",
        message: `The file ${file} is damaged.`,
        hint: expect.not.stringContaining(content.key) as unknown,
      }),
    );
  });
});
