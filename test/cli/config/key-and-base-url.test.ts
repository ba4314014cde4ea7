import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { storeLogin, storeMode } from "../../../src/cli/config/profile.ts";
import { resolveSettings, type SettingFlags } from "../../../src/cli/config/resolve-settings.ts";
import { keyringOfHome } from "../../testkit/command/keyrings.ts";
import { createTemporaryHome, someKeys } from "../../testkit/temporary.ts";

const stored = "https://stored.example.com";
const other = "https://other.example.com";
const otherTestKey = someKeys.test.replace("0123", "zzzz");

/** A home with a login of each mode. */
function createLoggedInHome() {
  const home = createTemporaryHome();
  const directories = { config: home, data: home };
  storeLogin(directories, "test", { baseUrl: stored, key: someKeys.test }, keyringOfHome);
  storeLogin(directories, "live", { baseUrl: `${stored}/live`, key: someKeys.live }, keyringOfHome);
  return { home, directories, env: { PAYMENTS_HOME: home } };
}

function writeKeyFile(content: string): string {
  const file = join(createTemporaryHome(), "key.txt");
  writeFileSync(file, content);
  return file;
}

describe("the base URL", () => {
  test("is the embedded service by default", async () => {
    const settings = await resolveSettings({}, { PAYMENTS_HOME: createTemporaryHome() });
    expect(settings).toMatchObject({ baseUrl: "embedded", key: undefined });
  });

  test("is the one stored with the mode's key", async () => {
    const { env, directories } = createLoggedInHome();
    expect((await resolveSettings({}, env)).baseUrl).toBe(stored);
    expect((await resolveSettings({ mode: "live" }, env)).baseUrl).toBe(`${stored}/live`);
    storeMode(directories, "live");
    expect((await resolveSettings({}, env)).baseUrl).toBe(`${stored}/live`);
  });

  test("is that of the flag, else of the variable, else the stored one", async () => {
    const env = { ...createLoggedInHome().env, PAYMENTS_API_KEY: someKeys.test };
    const variable = { ...env, PAYMENTS_BASE_URL: other };
    const flags = { "base-url": "http://flag.example.com" };
    expect((await resolveSettings({}, env)).baseUrl).toBe(stored);
    expect((await resolveSettings({}, variable)).baseUrl).toBe(other);
    expect((await resolveSettings(flags, variable)).baseUrl).toBe("http://flag.example.com");
    expect((await resolveSettings({ "base-url": "embedded" }, variable)).baseUrl).toBe("embedded");
  });

  test("is the embedded service where a database is typed, also after a login", async () => {
    const { env } = createLoggedInHome();
    const flags = { database: "sqlite:books.db" };
    const expected = { baseUrl: "embedded", key: undefined, isDatabaseNamed: true };
    expect(await resolveSettings(flags, env)).toMatchObject(expected);
    expect(await resolveSettings(flags, { ...env, PAYMENTS_BASE_URL: other })).toMatchObject(
      expected,
    );
    expect(await resolveSettings({ ...flags, "base-url": "embedded" }, env)).toMatchObject(
      expected,
    );
    const ofOther = { ...env, PAYMENTS_BASE_URL: other, PAYMENTS_API_KEY: someKeys.live };
    expect(await resolveSettings(flags, ofOther)).toMatchObject({ ...expected, mode: "test" });
    const alone = await resolveSettings(flags, { ...env, PAYMENTS_API_KEY: someKeys.test });
    expect(alone.key?.source).toBe("PAYMENTS_API_KEY");
    await expect(resolveSettings({ ...flags, "base-url": other }, env)).rejects.toMatchObject({
      exitCode: 2,
      message:
        "--database is for the embedded service, but --base-url names another one. Nothing was sent.",
    });
  });
});

/** The key that a command would use, and its source. */
async function resolveKeyWith(flags: SettingFlags, env: Record<string, string>) {
  const { key } = await resolveSettings(flags, env);
  return key && { source: key.source, last4: key.last4, value: key.value() };
}
const from = (source: string, key: string) => ({ source, last4: key.slice(-4), value: key });
const malformed = (source: string) =>
  expect.objectContaining({
    ending: "key",
    message: `The API key from ${source} is malformed.`,
    hint: "A key is svc_test_sk_ or svc_live_sk_ and 43 letters and digits. Check that it was copied whole.",
  }) as Error;
const empty = (source: string) =>
  expect.objectContaining({
    ending: "key",
    message: `The API key from ${source} is empty.`,
  }) as Error;

describe("the key", () => {
  test("is the one stored for the mode and the base URL", async () => {
    const { env, home } = createLoggedInHome();
    const ofTest = from(join(home, "login-test.json"), someKeys.test);
    expect(await resolveKeyWith({}, env)).toEqual(ofTest);
    expect(await resolveKeyWith({ "base-url": `${stored}/` }, env)).toEqual(ofTest);
    expect(await resolveKeyWith({ mode: "live" }, env)).toEqual(
      from(join(home, "login-live.json"), someKeys.live),
    );
  });

  test("is that of the file, else of the variable, else the stored one", async () => {
    const env = { ...createLoggedInHome().env, PAYMENTS_API_KEY: otherTestKey };
    expect(await resolveKeyWith({}, env)).toEqual(from("PAYMENTS_API_KEY", otherTestKey));
    const file = writeKeyFile(`${someKeys.test}\r\n`);
    expect(await resolveKeyWith({ "api-key-file": file }, env)).toEqual(from(file, someKeys.test));
  });

  test.each<[string, SettingFlags]>([
    ["another host", { "base-url": other }],
    ["another path", { "base-url": `${stored}/v2` }],
    ["another port", { "base-url": `${stored}:8443` }],
    ["another scheme", { "base-url": stored.replace("https", "http") }],
    ["the other mode's address", { "base-url": stored, mode: "live" }],
  ])("that is stored is not sent to %s", async (_, flags) => {
    await expect(resolveSettings(flags, createLoggedInHome().env)).rejects.toThrow(
      expect.objectContaining({
        ending: "key",
        message: `There is no ${flags.mode ?? "test"} key for ${flags["base-url"]}.`,
      }),
    );
  });

  test("that is stored is not sent to another base URL of the environment", async () => {
    const env = { ...createLoggedInHome().env, PAYMENTS_BASE_URL: other };
    await expect(resolveSettings({}, env)).rejects.toThrow(
      expect.objectContaining({ ending: "key" }),
    );
  });

  test("that is stored is not used by the embedded service", async () => {
    const { env } = createLoggedInHome();
    expect((await resolveSettings({ "base-url": "embedded" }, env)).key).toBeUndefined();
  });

  test("must be in the named file, and the error does not repeat the name", async () => {
    await expect(resolveSettings({ "api-key-file": someKeys.live }, {})).rejects.toThrow(
      expect.objectContaining({
        ending: "usage",
        message: "--api-key-file cannot be read: there is no such file.",
      }),
    );
  });

  test.each(["sk_test_1", "svc_test_sk_", `${someKeys.live}x`, `Bearer ${someKeys.test}`])(
    "may not be %j, and the error does not repeat it",
    async (key) => {
      const PAYMENTS_HOME = createTemporaryHome();
      const file = writeKeyFile(key);
      await expect(resolveSettings({ "api-key-file": file }, { PAYMENTS_HOME })).rejects.toThrow(
        malformed(file),
      );
      const env = { PAYMENTS_HOME, PAYMENTS_API_KEY: key };
      await expect(resolveSettings({}, env)).rejects.toThrow(malformed("PAYMENTS_API_KEY"));
    },
  );

  test.each(["", "\n", "  "])("that is %j is reported as empty, not malformed", async (key) => {
    const PAYMENTS_HOME = createTemporaryHome();
    const file = writeKeyFile(key);
    await expect(resolveSettings({ "api-key-file": file }, { PAYMENTS_HOME })).rejects.toThrow(
      empty(file),
    );
    const refusal = { ending: "usage", message: "PAYMENTS_API_KEY is empty." };
    await expect(
      resolveSettings({}, { PAYMENTS_HOME, PAYMENTS_API_KEY: key }),
    ).rejects.toMatchObject(refusal);
  });
});
