import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  resolveMode,
  resolveDatabase,
  parseBaseUrl,
  resolveSettings,
} from "../../../src/cli/config/resolve-settings.ts";
import { createTemporaryHome, someKeys } from "../../testkit/temporary.ts";

describe("a base URL", () => {
  test.each([
    ["https://payments.example.com", "https://payments.example.com"],
    ["https://payments.example.com/", "https://payments.example.com"],
    ["https://payments.example.com/gateway//", "https://payments.example.com/gateway"],
    ["HTTPS://Payments.Example.COM:443", "https://payments.example.com"],
    ["http://127.0.0.1:8402", "http://127.0.0.1:8402"],
    ["http://[::1]:8402/", "http://[::1]:8402"],
    ["embedded", "embedded"],
  ])("%s is used as %s", (given, used) => {
    expect(parseBaseUrl(given)).toBe(used);
  });

  test.each([
    "",
    "payments.example.com",
    "ftp://payments.example.com",
    "file:///etc/passwd",
    "https://user@payments.example.com",
    "https://user:secret@payments.example.com",
    "https://:secret@payments.example.com",
    "https://payments.example.com?key=secret",
    "https://payments.example.com#secret",
    "svc_test_sk_secret",
  ])("may not be %j, and is not repeated", (url) => {
    expect(() => parseBaseUrl(url)).toThrow(
      expect.objectContaining({
        ending: "usage",
        message: "The base URL must be an http or https address without user, query or fragment.",
        hint: expect.not.stringContaining("secret") as unknown,
      }),
    );
  });
});

describe("the service version", () => {
  const PAYMENTS_HOME = createTemporaryHome();

  test("is that of the flag, else of the variable, else none", async () => {
    const env = { PAYMENTS_HOME, PAYMENTS_SERVICE_VERSION: "2026-11-01" };
    const flags = { "service-version": "2026-12-24" };
    expect((await resolveSettings({}, { PAYMENTS_HOME })).serviceVersion).toBeUndefined();
    expect((await resolveSettings({}, env)).serviceVersion).toBe("2026-11-01");
    expect((await resolveSettings(flags, env)).serviceVersion).toBe("2026-12-24");
  });

  test.each(["2026", "2026-02-30", "24-12-2026", "latest"])("may not be %j", async (version) => {
    await expect(
      resolveSettings({ "service-version": version }, { PAYMENTS_HOME }),
    ).rejects.toThrow(expect.objectContaining({ ending: "usage" }));
  });
});

describe("the database", () => {
  test("is a file in the data directory by default", () => {
    const home = createTemporaryHome();
    expect(resolveDatabase(undefined, { PAYMENTS_HOME: home })).toBe(
      `sqlite:${join(home, "payments.db")}`,
    );
    expect(resolveDatabase(undefined, { XDG_DATA_HOME: "/srv/data" })).toBe(
      "sqlite:/srv/data/payments/payments.db",
    );
  });

  test("is that of the flag, else of the variable", async () => {
    const env = { PAYMENTS_DATABASE: "sqlite:variable.db" };
    expect(resolveDatabase(undefined, env)).toBe("sqlite:variable.db");
    expect(resolveDatabase("sqlite:flag.db", env)).toBe("sqlite:flag.db");
    expect((await resolveSettings({ database: "sqlite:flag.db" }, env)).database).toBe(
      "sqlite:flag.db",
    );
  });

  test.each(["postgres://user:secret@host/db", "postgresql:///db?host=/run/postgresql"])(
    "may be %s, unchanged",
    (database) => {
      expect(resolveDatabase(database, {})).toBe(database);
      expect(resolveDatabase(undefined, { PAYMENTS_DATABASE: database })).toBe(database);
    },
  );
});

test("two homes share nothing", async () => {
  const [one, other] = await Promise.all(
    [createTemporaryHome(), createTemporaryHome()].map(async (home) =>
      resolveSettings({}, { PAYMENTS_HOME: home }),
    ),
  );
  expect(one?.directories).not.toEqual(other?.directories);
  expect(one?.database).not.toBe(other?.database);
});

describe("a setting that a command does not use", () => {
  test("is ignored: a database with a remote service", async () => {
    const env = { PAYMENTS_HOME: createTemporaryHome(), PAYMENTS_DATABASE: "postgres://nowhere" };
    const flags = { "base-url": "https://payments.example.com" };
    const key = { PAYMENTS_API_KEY: someKeys.test };
    const { baseUrl } = await resolveSettings(flags, { ...env, ...key });
    expect(baseUrl).toBe("https://payments.example.com");
  });

  test("is ignored: a malformed key if only the mode is needed", () => {
    const env = { PAYMENTS_HOME: createTemporaryHome(), PAYMENTS_API_KEY: "svc_live_sk_short" };
    expect(resolveMode(env)).toBe("live");
    expect(resolveMode({ ...env, PAYMENTS_API_KEY: ` ${someKeys.live}\n` })).toBe("live");
    expect(resolveMode({ ...env, PAYMENTS_API_KEY: "junk" })).toBe("test");
    expect(resolveMode({ ...env, PAYMENTS_MODE: "test" })).toBe("test");
  });
});

test.each(["prod", "TEST", "live ", ""])("the mode may not be %j", async (mode) => {
  const env = { PAYMENTS_HOME: createTemporaryHome() };
  const wrong = expect.objectContaining({
    ending: "usage",
    message: "The mode must be test or live.",
  }) as Error;
  await expect(resolveSettings({ mode }, env)).rejects.toThrow(wrong);
  await expect(resolveSettings({}, { ...env, PAYMENTS_MODE: mode })).rejects.toThrow(wrong);
});
