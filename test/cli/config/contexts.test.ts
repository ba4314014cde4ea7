import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import {
  deleteContext,
  describeContext,
  listContextNames,
  readContexts,
  readContextInUse,
  renameContext,
  resolveContext,
  useContext,
} from "../../../src/cli/config/contexts.ts";
import {
  changeProfile,
  readLogin,
  readMode,
  storeLogin,
  storeMode,
} from "../../../src/cli/config/profile.ts";
import { resolveSettings } from "../../../src/cli/config/resolve-settings.ts";
import { createMemoryKeyring, keyringOfHome } from "../../testkit/command/keyrings.ts";
import { createTemporaryHome, someKeys } from "../../testkit/temporary.ts";

const production = "https://payments.example.com";
const staging = "https://staging.example.com";

/** A home with `default` for production, and `staging`; nothing has been chosen. */
function openHome(keyring = keyringOfHome) {
  const home = createTemporaryHome();
  const directories = { config: home, data: home };
  const place = { ...directories, context: "staging" };
  storeLogin(directories, "test", { baseUrl: production, key: someKeys.test }, keyring);
  storeLogin(directories, "live", { baseUrl: production, key: someKeys.live }, keyring);
  storeLogin(place, "test", { baseUrl: staging, key: someKeys.test }, keyring);
  return { home, directories, place, keyring, env: { PAYMENTS_HOME: home } };
}

const readAll = (home: string) =>
  readdirSync(home).map((name) => [name, readFileSync(join(home, name), "utf8")]);

describe("a home that version 1.0.0 has written", () => {
  const files = fileURLToPath(new URL("home-of-1.0.0", import.meta.url));
  const copyHome = () => {
    const home = createTemporaryHome();
    cpSync(files, home, { recursive: true });
    return { home, directories: { config: home, data: home }, env: { PAYMENTS_HOME: home } };
  };

  test("is the context default, and stays as it is", async () => {
    const { home, directories, env } = copyHome();
    const before = readAll(home);
    expect(readContexts(directories, env)).toEqual([
      {
        name: "default",
        base_url: "http://127.0.0.1:8403",
        modes: ["test", "live"],
        mode: "live",
        in_use: true,
      },
      {
        name: "embedded",
        base_url: "embedded",
        modes: ["test", "live"],
        mode: "test",
        in_use: false,
      },
    ]);
    expect(await resolveSettings({}, env)).toMatchObject({ context: "default", mode: "live" });
    expect(readAll(home)).toEqual(before);
  });

  test("may hold two services: each key goes to its own, also by the context's name", async () => {
    const { env } = copyHome();
    for (const context of [undefined, "default"]) {
      const [live, inTest] = await Promise.all([
        resolveSettings({ context }, env),
        resolveSettings({ context, mode: "test" }, env),
      ]);
      expect([live.baseUrl, live.key?.value()]).toEqual(["http://127.0.0.1:8403", someKeys.live]);
      expect([inTest.baseUrl, inTest.key?.value()]).toEqual([
        "http://127.0.0.1:8402",
        someKeys.test,
      ]);
    }
    const other = { context: "default", mode: "test", "base-url": "http://127.0.0.1:8403" };
    await expect(resolveSettings(other, env)).rejects.toMatchObject({ exitCode: 2 });
  });

  test("can be given another name", async () => {
    const { directories, env, home } = copyHome();
    renameContext(directories, { name: "default", newName: "production" }, keyringOfHome);
    expect(listContextNames(directories)).toEqual(["production"]);
    expect(await resolveSettings({}, env)).toMatchObject({
      context: "production",
      mode: "live",
      baseUrl: "http://127.0.0.1:8403",
    });
    expect(readdirSync(home).toSorted()).toEqual(["context.json", "contexts"]);
  });
});

describe("the context in use", () => {
  test("is default where there is one, else embedded", () => {
    const home = createTemporaryHome();
    const empty = { config: home, data: home };
    expect(readContextInUse(empty)).toEqual({ name: "embedded", source: "default" });
    expect(readContextInUse(openHome().directories).name).toBe("default");
  });

  test("is the flag's, else the variable's, else the chosen one", () => {
    const { directories } = openHome();
    useContext(directories, "staging");
    const env = { PAYMENTS_CONTEXT: "default" };
    expect(resolveContext(undefined, {}, directories)).toEqual({
      name: "staging",
      source: "stored",
    });
    expect(resolveContext(undefined, env, directories).name).toBe("default");
    expect(resolveContext("embedded", env, directories)).toEqual({
      name: "embedded",
      source: "--context",
    });
  });

  test("that is gone is replaced by nothing", () => {
    const { directories } = openHome();
    writeFileSync(join(directories.config, "context.json"), '{"in_use":"gone"}');
    expect(() => resolveContext(undefined, {}, directories)).toThrow(
      expect.objectContaining({
        ending: "usage",
        message: "The context in use, gone, is there no more. Nothing was sent.",
      }),
    );
  });

  test.each(["{", '{"in_use":"../x"}', '{"in_use":1}'])(
    "in a damaged file, %j, is none",
    (text) => {
      const { directories } = openHome();
      writeFileSync(join(directories.config, "context.json"), text);
      expect(() => readContextInUse(directories)).toThrow(/context\.json is damaged/);
    },
  );
});

describe("a context", () => {
  test("has a mode and an API version of its own", async () => {
    const { directories, place, env } = openHome();
    storeMode(place, "live");
    storeMode({ ...directories, context: "embedded" }, "live");
    changeProfile(place, { service_version: "2026-11-01" });
    expect(readMode(directories)).toBeUndefined();
    expect(readMode(place)).toBe("live");
    const settings = await resolveSettings({ context: "staging", mode: "test" }, env);
    expect(settings.serviceVersion).toBe("2026-11-01");
    expect((await resolveSettings({}, env)).serviceVersion).toBeUndefined();
    expect(describeContext(directories, env, "staging")).toEqual({
      name: "staging",
      base_url: staging,
      modes: ["test"],
      mode: "live",
      in_use: false,
      service_version: "2026-11-01",
    });
  });

  test("has its own keys in the keyring, those of default as before there were contexts", () => {
    const { keyring } = openHome(createMemoryKeyring());
    expect([...(keyring as ReturnType<typeof createMemoryKeyring>).entries.keys()]).toEqual([
      `test ${production} defg`,
      `live ${production} 3210`,
      `staging test ${staging} defg`,
    ]);
  });

  test("is read without a call into the keyring", () => {
    const keyring = createMemoryKeyring();
    const { directories, env } = openHome(keyring);
    keyring.calls.length = 0;
    readContexts(directories, env);
    describeContext(directories, env);
    useContext(directories, "staging");
    expect(keyring.calls).toEqual([]);
  });

  test.each(["", "Staging", "-x", "a/b", "..", "a".repeat(33)])("cannot be %j", (newName) => {
    const { directories } = openHome();
    expect(() => renameContext(directories, { name: "staging", newName }, keyringOfHome)).toThrow(
      /^The name of a context has small letters/,
    );
  });

  test("is no folder without files, and no file of another name", () => {
    const { directories } = openHome();
    mkdirSync(join(directories.config, "contexts", "empty"));
    mkdirSync(join(directories.config, "contexts", "default"));
    writeFileSync(join(directories.config, "contexts", ".DS_Store"), "");
    expect(listContextNames(directories)).toEqual(["default", "staging"]);
  });
});

describe("an unknown context", () => {
  test.each<[typed: string, message: RegExp, hint: RegExp]>([
    ["stagin", /: stagin\. Nothing was sent\.$/, /^Did you mean staging\? payments context list/],
    ["STAGING", /there is not\. Nothing/, /^Did you mean staging\?/],
    ["elsewhere", /: elsewhere\. /, /^payments context list shows them\.$/],
    [someKeys.live, /there is not\. Nothing/, /^payments context list/],
    ["../staging", /there is not\. Nothing/, /./],
    ["constructor", /: constructor\. /, /./],
  ])("%s is refused, and suggests the nearest", (name, message, hint) => {
    const { directories } = openHome();
    expect(() => resolveContext(name, {}, directories)).toThrow(
      expect.objectContaining({
        ending: "usage",
        message: expect.stringMatching(message) as unknown,
        hint: expect.stringMatching(hint) as unknown,
      }),
    );
  });
});

describe("a renamed context", () => {
  test("keeps its keys, mode and version, and stays in use", () => {
    const keyring = createMemoryKeyring();
    const { directories, place } = openHome(keyring);
    storeMode(place, "live");
    changeProfile(place, { service_version: "2026-11-01" });
    useContext(directories, "staging");
    expect(renameContext(directories, { name: "staging", newName: "stage" }, keyring)).toEqual([]);
    const renamed = { ...directories, context: "stage" };
    expect(readContextInUse(directories).name).toBe("stage");
    expect(readMode(renamed)).toBe("live");
    expect(readLogin(renamed, "test", keyring)?.key.value()).toBe(someKeys.test);
    expect([...keyring.entries.keys()].at(-1)).toBe(`stage test ${staging} defg`);
    expect(keyring.entries.has(`staging test ${staging} defg`)).toBe(false);
    expect(existsSync(join(directories.config, "contexts", "staging"))).toBe(false);
  });

  test("takes no other's name, and a locked keyring leaves it as it is", () => {
    const keyring = createMemoryKeyring();
    const { directories } = openHome(keyring);
    expect(() =>
      renameContext(directories, { name: "staging", newName: "default" }, keyring),
    ).toThrow(expect.objectContaining({ ending: "conflict" }));
    keyring.failure = { answer: "locked", reason: "the keyring is locked" };
    expect(() =>
      renameContext(directories, { name: "staging", newName: "stage" }, keyring),
    ).toThrow(/is stored in the keyring, but the keyring is locked/);
    expect(listContextNames(directories)).toEqual(["default", "staging"]);
  });
});

test("a context is not renamed where the keyring refuses its keys: none enters a file", () => {
  const keyring = createMemoryKeyring();
  const { directories, home } = openHome(keyring);
  const before = [...keyring.entries];
  const full = { answer: "unavailable", reason: "the keyring is full" } as const;
  const refusing = { ...keyring, set: () => full };
  const names = { name: "default", newName: "production" };
  expect(() => renameContext(directories, names, refusing)).toThrow(
    "The keyring does not take the test key, since the keyring is full. Nothing was renamed.",
  );
  expect([...keyring.entries]).toEqual(before);
  expect(listContextNames(directories)).toEqual(["default", "staging"]);
  expect(existsSync(join(home, "contexts", "production"))).toBe(false);
});

test("a damaged context leaves the others to be seen, and names its own logout", () => {
  const { directories, home, place, env } = openHome();
  writeFileSync(join(home, "contexts", "staging", "login-test.json"), "{");
  expect(readContexts(directories, env).map((each) => [each.name, each.base_url])).toEqual([
    ["default", production],
    ["staging", null],
    ["embedded", "embedded"],
  ]);
  expect(() => readLogin(place, "test", keyringOfHome)).toThrow(
    expect.objectContaining({
      hint: "Repair it, or delete it. payments logout --mode test --context staging deletes it.",
    }),
  );
});

describe("a deleted context", () => {
  test("is gone with its keys, and only with its own", () => {
    const keyring = createMemoryKeyring();
    const { directories } = openHome(keyring);
    useContext(directories, "staging");
    expect(deleteContext(directories, "staging", keyring)).toEqual([]);
    expect([...keyring.entries.keys()]).toEqual([
      `test ${production} defg`,
      `live ${production} 3210`,
    ]);
    expect(readContextInUse(directories).name).toBe("embedded");
    expect(listContextNames(directories)).toEqual(["default"]);
  });

  test("names the entries that the keyring keeps", () => {
    const keyring = createMemoryKeyring();
    const { directories } = openHome(keyring);
    keyring.failure = { answer: "locked", reason: "the keyring is locked" };
    expect(deleteContext(directories, "default", keyring).map(({ account }) => account)).toEqual([
      `test ${production} defg`,
      `live ${production} 3210`,
    ]);
  });
});
