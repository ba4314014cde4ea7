import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { storeLogin } from "../../../src/cli/config/profile.ts";
import { json, scriptedServer } from "../../testkit/client/scripted-server.ts";
import { keyringOfHome } from "../../testkit/command/memory-keyring.ts";
import { createTemporaryHome, someKeys } from "../../testkit/command/temporary-home.ts";
import { parseError, runPayments, type RunOptions } from "../../testkit/command/run-payments.ts";

const list = json(200, { object: "list", url: "/v1/payments", data: [], has_more: false });
const other = someKeys.test.replace("0123", "zzzz");

/** Two services, and a home that is logged in to the first one in both modes. */
async function createLoggedInHome() {
  const [home, known, unknown] = [
    createTemporaryHome(),
    await scriptedServer(list),
    await scriptedServer(list),
  ];
  const directories = { config: home, data: home };
  storeLogin(directories, "test", { baseUrl: known.url, key: someKeys.test }, keyringOfHome);
  storeLogin(directories, "live", { baseUrl: known.url, key: someKeys.live }, keyringOfHome);
  return { home, directories, known, unknown };
}
const runAgainst = async (args: string[], options: RunOptions) =>
  runPayments(["list", "--json", ...args], options);

describe.concurrent("a request uses", () => {
  test("the key of --api-key-file, else of PAYMENTS_API_KEY, else the stored one", async () => {
    const { home, known } = await createLoggedInHome();
    const file = join(home, "key.txt");
    writeFileSync(file, `${someKeys.live}\n`);
    const env = { PAYMENTS_API_KEY: other };
    await runAgainst([], { home });
    await runAgainst([], { home, env });
    await runAgainst(["--api-key-file", file], { home, env });
    await runAgainst(["--api-key-file", "-"], { home, env, stdin: `${someKeys.test}\n` });
    expect(known.requests.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${someKeys.test}`,
      `Bearer ${other}`,
      `Bearer ${someKeys.live}`,
      `Bearer ${someKeys.test}`,
    ]);
  });

  test("the URL of --base-url, else of PAYMENTS_BASE_URL, else of the login", async () => {
    const { home, known, unknown } = await createLoggedInHome();
    const third = await scriptedServer(list);
    const env = { PAYMENTS_API_KEY: other };
    const variable = { ...env, PAYMENTS_BASE_URL: unknown.url };
    await runAgainst([], { home, env });
    await runAgainst([], { home, env: variable });
    await runAgainst(["--base-url", third.url], { home, env: variable });
    expect([known, unknown, third].map(({ requests }) => requests.length)).toEqual([1, 1, 1]);
  });
});

describe.concurrent("nothing is sent, and the exit code is 4,", () => {
  test.each(["--base-url", "PAYMENTS_BASE_URL"])(
    "if a stored key would go to another service: %s",
    async (way) => {
      const { home, known, unknown } = await createLoggedInHome();
      const ran =
        way === "--base-url"
          ? await runAgainst(["--base-url", unknown.url], { home })
          : await runAgainst([], { home, env: { PAYMENTS_BASE_URL: unknown.url } });
      expect(ran.exitCode).toBe(4);
      expect(parseError(ran)["message"]).toBe(`There is no test key for ${unknown.url}.`);
      expect([...known.requests, ...unknown.requests]).toEqual([]);
    },
  );
});
