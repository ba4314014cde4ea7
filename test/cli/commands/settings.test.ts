import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { storeLogin, storeMode } from "../../../src/cli/config/profile.ts";
import { json, scriptedServer } from "../../testkit/client/scripted-server.ts";
import { keyringOfHome } from "../../testkit/command/memory-keyring.ts";
import { newHome, someKeys } from "../../testkit/command/temporary-home.ts";
import { errorIn, runPayments, type RunOptions } from "../../testkit/command/run-payments.ts";

const list = json(200, { object: "list", url: "/v1/payments", data: [], has_more: false });
const other = someKeys.test.replace("0123", "zzzz");

/** Two services; a home that is logged in to the first, in both modes. */
async function loggedIn() {
  const [home, known, stranger] = [
    newHome(),
    await scriptedServer(list),
    await scriptedServer(list),
  ];
  const directories = { config: home, data: home };
  storeLogin(directories, "test", { baseUrl: known.url, key: someKeys.test }, keyringOfHome);
  storeLogin(directories, "live", { baseUrl: known.url, key: someKeys.live }, keyringOfHome);
  return { home, directories, known, stranger };
}
const ask = async (args: string[], options: RunOptions) =>
  runPayments(["list", "--json", ...args], options);

describe.concurrent("a request carries", () => {
  test("the key stored for the mode: --mode, else PAYMENTS_MODE, else payments mode", async () => {
    const { home, directories, known } = await loggedIn();
    storeMode(directories, "live");
    const env = { PAYMENTS_MODE: "test" };
    await ask([], { home });
    await ask([], { home, env });
    await ask(["--mode", "live"], { home, env });
    expect(known.requests.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${someKeys.live}`,
      `Bearer ${someKeys.test}`,
      `Bearer ${someKeys.live}`,
    ]);
  });

  test("the key of --api-key-file, else of PAYMENTS_API_KEY, else the stored one", async () => {
    const { home, known } = await loggedIn();
    const file = join(home, "key.txt");
    writeFileSync(file, `${someKeys.live}\n`);
    const env = { PAYMENTS_API_KEY: other };
    await ask([], { home });
    await ask([], { home, env });
    await ask(["--api-key-file", file], { home, env });
    await ask(["--api-key-file", "-"], { home, env, stdin: `${someKeys.test}\n` });
    expect(known.requests.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${someKeys.test}`,
      `Bearer ${other}`,
      `Bearer ${someKeys.live}`,
      `Bearer ${someKeys.test}`,
    ]);
  });

  test("goes to --base-url, else PAYMENTS_BASE_URL, else where the login says", async () => {
    const { home, known, stranger } = await loggedIn();
    const third = await scriptedServer(list);
    const env = { PAYMENTS_API_KEY: other };
    const variable = { ...env, PAYMENTS_BASE_URL: stranger.url };
    await ask([], { home, env });
    await ask([], { home, env: variable });
    await ask(["--base-url", third.url], { home, env: variable });
    expect([known, stranger, third].map(({ requests }) => requests.length)).toEqual([1, 1, 1]);
  });

  test("the version of --service-version, else of PAYMENTS_SERVICE_VERSION", async () => {
    const { home, known } = await loggedIn();
    const env = { PAYMENTS_SERVICE_VERSION: "2026-11-01" };
    await ask([], { home });
    await ask([], { home, env });
    await ask(["--service-version", "2026-12-24"], { home, env });
    expect(known.requests.map(({ headers }) => headers["service-version"])).toEqual([
      undefined,
      "2026-11-01",
      "2026-12-24",
    ]);
  });
});

describe.concurrent("nothing is sent, and the exit code is 4,", () => {
  test.each(["--base-url", "PAYMENTS_BASE_URL"])(
    "where a stored key would go to another service: %s",
    async (way) => {
      const { home, known, stranger } = await loggedIn();
      const ran =
        way === "--base-url"
          ? await ask(["--base-url", stranger.url], { home })
          : await ask([], { home, env: { PAYMENTS_BASE_URL: stranger.url } });
      expect(ran.exitCode).toBe(4);
      expect(errorIn(ran)["message"]).toBe(`There is no test key for ${stranger.url}.`);
      expect([...known.requests, ...stranger.requests]).toEqual([]);
    },
  );

  test("where there is no key at all for the service", async () => {
    const { stranger } = await loggedIn();
    const ran = await ask(["--base-url", stranger.url], { home: newHome() });
    expect(ran.exitCode).toBe(4);
    expect(errorIn(ran)["hint"]).toContain("payments login");
    expect(stranger.requests).toEqual([]);
  });

  test("where the key is malformed, which is not repeated", async () => {
    const { home, known } = await loggedIn();
    const malformed = someKeys.live.slice(0, -1);
    const runs = await Promise.all([
      ask([], { home, env: { PAYMENTS_API_KEY: malformed } }),
      ask(["--api-key-file", "-"], { home, stdin: malformed }),
    ]);
    for (const ran of runs) {
      expect(ran.exitCode).toBe(4);
      expect(errorIn(ran)["message"]).toMatch(/^The API key from .+ is malformed\.$/);
      expect(ran.stderr).not.toContain(malformed.slice(12));
    }
    expect(known.requests).toEqual([]);
  });

  test("where there is nothing in place of the key, which is said", async () => {
    const { home, known } = await loggedIn();
    const file = join(home, "key.txt");
    writeFileSync(file, "\n");
    const [fromFile, fromInput] = await Promise.all([
      ask(["--api-key-file", file], { home }),
      ask(["--api-key-file", "-"], { home, stdin: "" }),
    ]);
    for (const [ran, source] of [
      [fromFile, file],
      [fromInput, "standard input"],
    ] as const) {
      expect(ran.exitCode).toBe(4);
      expect(errorIn(ran)["message"]).toBe(`The API key from ${source} is empty.`);
    }
    expect(known.requests).toEqual([]);
  });
});
