import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runningService } from "../../testkit/client/running-service.ts";
import { accountWith } from "../../testkit/api-objects.ts";
import {
  holding,
  json,
  refusal,
  scriptedServer,
  text,
} from "../../testkit/client/scripted-server.ts";
import { createTemporaryHome, someKeys } from "../../testkit/temporary.ts";
import {
  parsePrinted,
  parsePayment,
  runPayments,
  type RunOptions,
  createServiceEnv,
  parseError,
} from "../../testkit/command/run-payments.ts";
import { readLogin, storeLogin } from "../../../src/cli/config/profile.ts";
import { keyringOfHome } from "../../testkit/command/keyrings.ts";

const service = runningService();
const visa = ["create", "--amount", "1", "--currency", "eur", "--test-card", "visa", "--json"];

async function replaceLogin(home: string, stdin: string, url = service.url) {
  return await runPayments(["login", "--base-url", url, "--replace"], { home, stdin });
}

async function login(home: string, key: string, options: RunOptions & { url?: string } = {}) {
  const args = ["login", "--base-url", options.url ?? service.url, "--max-retries", "0"];
  return await runPayments(args, { ...options, home, stdin: `${key}\n` });
}

const homeOf = (url: string, account?: string) => {
  const home = createTemporaryHome();
  const old = { baseUrl: url, key: someKeys.test, account };
  storeLogin({ config: home, data: home }, "test", old, keyringOfHome);
  return home;
};

/** A service that knows the account of each key; undefined where it refuses one. */
const serviceOf = async (accounts: Record<string, object | undefined>) =>
  scriptedServer((response, request) => {
    const key = String(request.headers.authorization).slice("Bearer ".length);
    const account = accounts[key];
    (account ? json(200, account) : refusal(401, "invalid_api_key"))(response, request);
  });

describe.concurrent("payments login", () => {
  test("stores a key from standard input, which later commands use", async () => {
    const home = join(createTemporaryHome(), "not", "there", "yet");
    const { test: key } = service.keys;
    const file = join(home, "login-test.json");
    expect(await login(home, key)).toEqual({
      stdout: "",
      stderr: `Logged in to ${service.url} with the test key …${key.slice(-4)}, stored in ${file}, which only you can read, since the keyring is not used while PAYMENTS_HOME is set.\n`,
      exitCode: 0,
    });
    const payment = parsePayment(await runPayments(visa, { home }));
    expect(await service.client().payments.retrieve(payment.id)).toEqual(payment);
  });

  test("does not switch the mode, and notes how to", async () => {
    const home = createTemporaryHome();
    const { stderr, exitCode } = await login(home, service.keys.live);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/with the live key …/);
    expect(stderr).toMatch(/\nCommands use test mode; switch with payments mode live\.\n$/);
    expect((await runPayments(["mode"], { home })).stdout).toBe("test\n");
    const inLive = await runPayments([...visa, "--mode", "live"], { home });
    expect(parsePayment(inLive).livemode).toBe(true);
  });

  test("says how to switch where the environment sets the other mode", async () => {
    const home = createTemporaryHome();
    const { stderr } = await runPayments(["login", "--base-url", service.url], {
      home,
      env: { PAYMENTS_MODE: "live" },
      stdin: service.keys.test,
    });
    expect(stderr).toMatch(/\nCommands use live mode; switch with PAYMENTS_MODE=test\.\n$/);
    const withKey = await runPayments(["login", "--base-url", service.url], {
      home: createTemporaryHome(),
      env: { PAYMENTS_API_KEY: service.keys.live },
      stdin: service.keys.test,
    });
    expect(withKey.stderr).toMatch(/switch with --mode test, without PAYMENTS_API_KEY\.\n$/);
  });

  test("replaces the key of its mode, but not the other mode's", async () => {
    const home = createTemporaryHome();
    await login(home, service.keys.live);
    const older = { baseUrl: service.url, key: someKeys.test };
    storeLogin({ config: home, data: home }, "test", older, keyringOfHome);
    await replaceLogin(home, service.keys.test);
    const [inTest, inLive] = await Promise.all([
      runPayments(["whoami", "--json"], { home }),
      runPayments(["whoami", "--json", "--mode", "live"], { home }),
    ]);
    expect(parsePrinted(inTest)).toMatchObject({
      base_url: service.url,
      key: { source: join(home, "login-test.json"), last4: service.keys.test.slice(-4) },
      accepted: true,
    });
    expect(parsePrinted(inLive)).toMatchObject({
      mode: "live",
      key: { source: join(home, "login-live.json"), last4: service.keys.live.slice(-4) },
    });
  });

  describe("over a login", () => {
    const production = "https://payments.example.com";
    const atProduction = (key: string = someKeys.test) => {
      const home = createTemporaryHome();
      const directories = { config: home, data: home };
      storeLogin(directories, "test", { baseUrl: production, key }, keyringOfHome);
      return home;
    };

    test("to another service is exit 6, names both, and sends nothing", async () => {
      const [home, other] = [atProduction(), await scriptedServer(json(200, accountWith()))];
      expect(await login(home, service.keys.test, { url: other.url })).toMatchObject({
        stderr: `Error: The context default is for ${production}, not for ${other.url}. It would lose its key there, test …${someKeys.test.slice(-4)}. Nothing was stored.\n  hint: Use --replace, or store the key in a context of its own: payments login --context NAME.\n`,
        exitCode: 6,
      });
      expect(other.requests).toEqual([]);
      const directories = { config: home, data: home };
      expect(readLogin(directories, "test", keyringOfHome)?.baseUrl).toBe(production);
    });

    test("to another service warns with --replace, and names both", async () => {
      const { stderr, exitCode } = await replaceLogin(atProduction(), service.keys.test);
      expect(exitCode).toBe(0);
      expect(stderr.split("\n")[0]).toBe(
        `Warning: this replaced the test key …${someKeys.test.slice(-4)} for ${production}: in test mode commands use ${service.url} now. To go back, log in to ${production} again.`,
      );
    });

    test("to another service with a sandbox's key is exit 6, too", async () => {
      const sandbox = await scriptedServer(json(200, accountWith()));
      const args = ["login", "--sandbox", "--base-url", sandbox.url];
      expect(await runPayments(args, { home: atProduction() })).toMatchObject({ exitCode: 6 });
      expect(sandbox.requests).toEqual([]);
      const ran = await runPayments([...args, "--replace"], { home: atProduction() });
      expect(ran.stderr).toMatch(/^Warning: this replaced the test key …\w{4} for https:/);
    });

    test("to another service deletes the context's other key with --replace, and says so", async () => {
      const home = atProduction();
      const directories = { config: home, data: home };
      const live = { baseUrl: production, key: someKeys.live };
      storeLogin(directories, "live", live, keyringOfHome);
      const refused = await login(home, service.keys.test);
      expect(refused).toMatchObject({ exitCode: 6 });
      expect(refused.stderr).toContain(
        `It would lose its keys there, test …${someKeys.test.slice(-4)} and live …${someKeys.live.slice(-4)}.`,
      );
      const { stderr } = await replaceLogin(home, service.keys.test);
      expect(stderr).toContain(
        `the live key …${someKeys.live.slice(-4)} for ${production} was deleted with it.`,
      );
      expect(readLogin(directories, "live", keyringOfHome)).toBeUndefined();
    });

    test("deletes the other key first, so that no context is left with two services", async () => {
      const home = createTemporaryHome();
      const live = { baseUrl: production, key: someKeys.live };
      storeLogin({ config: home, data: home }, "live", live, keyringOfHome);
      mkdirSync(join(home, "login-test.json")); // so that storing fails
      expect(await replaceLogin(home, service.keys.test)).toMatchObject({ exitCode: 9 });
      expect(existsSync(join(home, "login-live.json"))).toBe(false);
    });

    test("of files that name two services goes to its mode's, and the other key stays", async () => {
      const home = createTemporaryHome();
      const directories = { config: home, data: home };
      const live = { baseUrl: production, key: someKeys.live };
      storeLogin(directories, "live", live, keyringOfHome);
      const key = service.keys.test;
      storeLogin(directories, "test", { baseUrl: service.url, key }, keyringOfHome);
      expect(await login(home, key)).toMatchObject({ exitCode: 0 });
      expect(readLogin(directories, "live", keyringOfHome)?.baseUrl).toBe(production);
    });

    test("to the same service, with the same key, or of another mode replaces nothing", async () => {
      const elsewhere = await scriptedServer(json(200, accountWith()));
      const home = createTemporaryHome();
      const isSilent = async (key: string, url: string) =>
        expect(await login(home, key, { url })).toMatchObject({
          stderr: expect.stringMatching(/^Logged in/) as unknown,
          exitCode: 0,
        });
      await isSilent(service.keys.live, service.url);
      await isSilent(service.keys.test, service.url);
      await runPayments(["logout", "--mode", "live"], { home });
      await isSilent(service.keys.test, service.url);
      await isSilent(service.keys.test, elsewhere.url);
    });

    test("to this machine with a sandbox's key replaces nothing", async () => {
      const home = createTemporaryHome();
      const sandbox = await scriptedServer(json(200, accountWith()));
      await login(home, service.keys.test);
      const args = ["login", "--sandbox", "--base-url", sandbox.url];
      expect((await runPayments(args, { home })).stderr).toMatch(/^Logged in/);
    });

    test("that is damaged replaces nothing that could be named", async () => {
      const home = atProduction();
      writeFileSync(join(home, "login-test.json"), "{");
      expect((await login(home, service.keys.test)).stderr).toMatch(/^Logged in/);
    });
  });

  describe("over a key of another account", () => {
    const [mine, another] = [accountWith(), accountWith({ id: `acct_${"0".repeat(32)}` })];
    const newKey = someKeys.test.replace("0123", "9999");

    test.each([
      ["that is stored", another.id, { [newKey]: mine }],
      ["that the old key tells", undefined, { [newKey]: mine, [someKeys.test]: another }],
      ["as far as is known: the old key is refused", undefined, { [newKey]: mine }],
    ])("%s, is exit 6, and stores nothing", async (_, stored, accounts) => {
      const { url } = await serviceOf(accounts);
      const home = homeOf(url, stored);
      const before = readFileSync(join(home, "login-test.json"), "utf8");
      expect(await login(home, newKey, { url })).toMatchObject({
        stderr: expect.stringMatching(
          /^Error: The test key …defg of the context default is another account's\. Nothing was stored\.\n/,
        ) as unknown,
        exitCode: 6,
      });
      expect(readFileSync(join(home, "login-test.json"), "utf8")).toBe(before);
      const replaced = await replaceLogin(home, newKey, url);
      expect(replaced).toMatchObject({ exitCode: 0 });
      expect(readFileSync(join(home, "login-test.json"), "utf8")).toContain(newKey);
    });

    test("replaces one of the same account, and stores the account", async () => {
      const { url } = await serviceOf({ [newKey]: mine, [someKeys.test]: mine });
      const home = homeOf(url);
      expect(await login(home, newKey, { url })).toMatchObject({ exitCode: 0 });
      expect(JSON.parse(readFileSync(join(home, "login-test.json"), "utf8"))).toEqual({
        base_url: url,
        account: mine.id,
        key: newKey,
      });
    });

    test("counts as of one where the service tells none, which a list judges then", async () => {
      const list = { object: "list", url: "/v1/payments", data: [], has_more: false };
      const older = await scriptedServer((response, request) => {
        const isAccount = request.path === "/v1/account";
        (isAccount ? refusal(404, "endpoint_not_found") : json(200, list))(response, request);
      });
      const home = homeOf(older.url);
      expect(await login(home, newKey, { url: older.url })).toMatchObject({ exitCode: 0 });
      expect(older.requests.map(({ path }) => path)).toEqual([
        "/v1/account",
        "/v1/payments?limit=1",
      ]);
    });
  });

  test("reads the base URL from the environment", async () => {
    const home = createTemporaryHome();
    const env = { PAYMENTS_BASE_URL: `${service.url}/` };
    const ran = await runPayments(["login"], { home, env, stdin: service.keys.test });
    expect(ran.exitCode).toBe(0);
    expect(readFileSync(join(home, "login-test.json"), "utf8")).toContain(`"${service.url}"`);
  });
});

describe.concurrent("payments login stores nothing", () => {
  test("if the service rejects the key: exit 4", async () => {
    const home = createTemporaryHome();
    await login(home, service.keys.test);
    const before = readFileSync(join(home, "login-test.json"), "utf8");
    const ran = await login(home, someKeys.test);
    expect(ran).toMatchObject({ stdout: "", exitCode: 4 });
    expect(ran.stderr).toContain("code: invalid_api_key");
    expect(ran.stderr).not.toContain(someKeys.test);
    expect(readFileSync(join(home, "login-test.json"), "utf8")).toBe(before);
  });

  test.each([
    ["is no payments service", text(200, "<html>Welcome</html>"), 9],
    ["answers with live data", json(200, accountWith({ livemode: true })), 4],
  ])("where what is there %s", async (_, answer, exitCode) => {
    const home = createTemporaryHome();
    const server = await scriptedServer(answer);
    expect(await login(home, someKeys.test, { url: server.url })).toMatchObject({ exitCode });
    expect(server.requests).toHaveLength(1);
    expect(readdirSync(home)).toEqual([]);
  });

  test.each([
    ["an incomplete key", someKeys.live.slice(0, -1), 4],
    ["nothing", "", 2],
  ])("of %s, which it neither sends nor repeats", async (_, key, exitCode) => {
    const home = createTemporaryHome();
    const server = await scriptedServer();
    const ran = await login(home, key, { url: server.url });
    expect(ran).toMatchObject({ stdout: "", exitCode });
    expect(ran.stderr).not.toMatch(/svc_(test|live)_sk_[0-9A-Za-z]/);
    expect(server.requests).toEqual([]);
    expect(readdirSync(home)).toEqual([]);
  });

  test("if the key's mode differs from --mode: exit 4", async () => {
    const home = createTemporaryHome();
    const server = await scriptedServer();
    const args = ["login", "--base-url", server.url, "--mode", "live"];
    expect(await runPayments(args, { home, stdin: someKeys.test })).toMatchObject({
      stderr: "Error: --mode says live, but the key is a test key. Nothing was stored.\n",
      exitCode: 4,
    });
    expect(server.requests).toEqual([]);
    expect(existsSync(join(home, "login-live.json"))).toBe(false);
  });

  test("if the mode of the environment is malformed, or its file is damaged; and sends nothing", async () => {
    const server = await scriptedServer();
    const home = createTemporaryHome();
    const args = ["login", "--base-url", server.url];
    const env = { PAYMENTS_MODE: "both" };
    const malformed = await runPayments(args, { home, env, stdin: someKeys.test });
    expect(malformed).toMatchObject({ stdout: "", exitCode: 2 });
    writeFileSync(join(home, "config.json"), "{mode");
    const damaged = await runPayments(args, { home, stdin: someKeys.test });
    expect(damaged).toMatchObject({ stdout: "", exitCode: 9 });
    expect(damaged.stderr).not.toContain("Logged in");
    expect(server.requests).toEqual([]);
    expect(readdirSync(home)).toEqual(["config.json"]);
  });

  test("without a base URL, or for the embedded service: exit 2", async () => {
    const home = createTemporaryHome();
    const [none, embedded] = await Promise.all([
      runPayments(["login"], { home, stdin: someKeys.test }),
      runPayments(["login", "--base-url", "embedded"], { home, stdin: someKeys.test }),
    ]);
    expect(none.exitCode).toBe(2);
    expect(none.stderr).toContain("Missing --base-url");
    expect(none.stderr).toContain("hint: payments login --base-url http://127.0.0.1:8402");
    expect(embedded).toMatchObject({
      stderr: "Error: The embedded service needs no login.\n",
      exitCode: 2,
    });
    expect(readdirSync(home)).toEqual([]);
  });
});

const baseUrl = "https://payments.example.com";

function createLoggedInHome() {
  const home = createTemporaryHome();
  const directories = { config: home, data: home };
  storeLogin(directories, "test", { baseUrl, key: someKeys.test }, keyringOfHome);
  storeLogin(directories, "live", { baseUrl, key: someKeys.live }, keyringOfHome);
  return { home, directories };
}

describe.concurrent("payments logout", () => {
  test("deletes the key of the current mode, but not the other one", async () => {
    const { home, directories } = createLoggedInHome();
    expect(await runPayments(["logout"], { home })).toEqual({
      stdout: "",
      stderr: `Deleted the test key.\nCommands in test mode now use the embedded service.\nThe live key is still stored.\n`,
      exitCode: 0,
    });
    expect(readLogin(directories, "test", keyringOfHome)).toBeUndefined();
    expect(readLogin(directories, "live", keyringOfHome)?.key.value()).toBe(someKeys.live);
  });

  test("notes after the last key that commands use the embedded service again", async () => {
    const { home } = createLoggedInHome();
    await runPayments(["logout"], { home });
    expect(await runPayments(["logout", "--mode", "live"], { home })).toMatchObject({
      stderr: `Deleted the live key.\nCommands now use the embedded service.\n`,
      exitCode: 0,
    });
    const offline = await runPayments(["whoami", "--offline", "--json"], { home });
    expect(parsePrinted(offline)).toMatchObject({ base_url: "embedded" });
  });

  test("notes nothing about the embedded service if the environment names another one", async () => {
    const { home } = createLoggedInHome();
    const env = { PAYMENTS_BASE_URL: baseUrl };
    await runPayments(["logout", "--mode", "live"], { home, env });
    const ran = await runPayments(["logout"], { home, env });
    expect(ran).toEqual({ stdout: "", stderr: "Deleted the test key.\n", exitCode: 0 });
  });

  test("succeeds without a stored key, and notes it", async () => {
    const ran = await runPayments(["logout"]);
    expect(ran).toMatchObject({ stdout: "", exitCode: 0 });
    expect(ran.stderr).toBe("There is no stored test key.\nCommands use the embedded service.\n");
  });

  test("deletes a damaged login too", async () => {
    const { home } = createLoggedInHome();
    writeFileSync(join(home, "login-test.json"), "damaged");
    expect((await runPayments(["list"], { home })).exitCode).toBe(9);
    expect(await runPayments(["logout"], { home })).toMatchObject({ exitCode: 0 });
    expect(await runPayments(["list", "--json"], { home })).toMatchObject({ exitCode: 0 });
  });
});

describe.concurrent("payments mode", () => {
  test("is test by default, and stays as switched", async () => {
    const home = createTemporaryHome();
    expect(await runPayments(["mode"], { home })).toEqual({
      stdout: "test\n",
      stderr: "",
      exitCode: 0,
    });
    expect((await runPayments(["mode", "live"], { home })).stdout).toBe("live\n");
    expect(parsePrinted(await runPayments(["mode", "--json"], { home }))).toEqual({ mode: "live" });
    expect(parsePayment(await runPayments(visa, { home })).livemode).toBe(true);
    expect((await runPayments(["mode", "test"], { home })).stdout).toBe("test\n");
    expect((await runPayments(["mode"], { home })).stdout).toBe("test\n");
  });

  test("notes that the environment overrides the stored mode", async () => {
    const home = createTemporaryHome();
    const env = { PAYMENTS_MODE: "test" };
    expect(await runPayments(["mode", "live"], { home, env })).toEqual({
      stdout: "test\n",
      stderr: "Stored live, but the environment sets test here.\n",
      exitCode: 0,
    });
    expect((await runPayments(["mode"], { home })).stdout).toBe("live\n");
  });

  test("stores nothing if the environment names an invalid mode", async () => {
    const home = createTemporaryHome();
    const ran = await runPayments(["mode", "live"], { home, env: { PAYMENTS_MODE: "lve" } });
    expect({ ...ran, stderr: ran.stderr.includes("PAYMENTS_MODE") }).toEqual({
      stdout: "",
      stderr: true,
      exitCode: 2,
    });
    expect((await runPayments(["mode"], { home })).stdout).toBe("test\n");
  });

  test("notes that commands now use the embedded service if only the other mode has a login", async () => {
    const home = createTemporaryHome();
    const stored = { baseUrl, key: someKeys.test };
    storeLogin({ config: home, data: home }, "test", stored, keyringOfHome);
    expect(await runPayments(["mode", "live"], { home })).toEqual({
      stdout: "live\n",
      stderr: "No live key is stored: commands now use the embedded service.\n",
      exitCode: 0,
    });
    const stays = [
      runPayments(["mode", "test"], { home }),
      runPayments(["mode", "live"], { home, env: { PAYMENTS_BASE_URL: baseUrl } }),
      runPayments(["mode", "live", "--json"], { home }),
      runPayments(["mode", "live"], { home: createTemporaryHome() }),
    ];
    expect((await Promise.all(stays)).map(({ stderr }) => stderr)).toEqual(["", "", "", ""]);
  });

  test("notes nothing about a missing key if the environment names the service", async () => {
    const env = { PAYMENTS_BASE_URL: "https://payments.example.com" };
    const ran = await runPayments(["mode", "live"], { env });
    expect(ran).toEqual({ stdout: "live\n", stderr: "", exitCode: 0 });
  });

  test("shows the mode of a key in the environment", async () => {
    const ran = await runPayments(["mode"], { env: { PAYMENTS_API_KEY: someKeys.live } });
    expect(ran.stdout).toBe("live\n");
  });

  test("is never switched by standard input", async () => {
    const home = createTemporaryHome();
    expect((await runPayments(["mode"], { home, stdin: "live\n" })).stdout).toBe("test\n");
    expect((await runPayments(["mode"], { home })).stdout).toBe("test\n");
  });
});

describe.concurrent("payments whoami", () => {
  test("shows the embedded service and its own key on a new home", async () => {
    const ran = await runPayments(["whoami", "--json"]);
    expect(ran.exitCode).toBe(0);
    expect(parsePrinted(ran)).toEqual({
      context: "embedded",
      mode: "test",
      base_url: "embedded",
      service_version: null,
      key: { source: "embedded", last4: expect.stringMatching(/^\w{4}$/) as unknown },
      accepted: true,
      account: { id: expect.stringMatching(/^acct_/) as unknown, name: "Default" },
      sources: {
        context: "default",
        mode: "default",
        base_url: "default",
        service_version: "default",
      },
      permissions: ["create", "read", "refund", "webhooks"],
      max_refund: null,
    });
  });

  test("prints the service, the key, and whether it is accepted", async () => {
    const ran = await runPayments(["whoami"], {
      env: createServiceEnv(service.url, service.keys.live),
    });
    expect(ran).toEqual({
      stdout: [
        "Mode      live, from PAYMENTS_API_KEY",
        `Service   ${service.url}, from PAYMENTS_BASE_URL`,
        `Key       …${service.keys.live.slice(-4)}, from PAYMENTS_API_KEY`,
        "Account   Default",
        "May       everything",
        "Accepted  yes\n",
      ].join("\n"),
      stderr: "",
      exitCode: 0,
    });
  });

  test("exits with 4 for a rejected key, and still prints the settings", async () => {
    const env = createServiceEnv(service.url);
    const [asJson, asText] = await Promise.all([
      runPayments(["whoami", "--json"], { env }),
      runPayments(["whoami"], { env }),
    ]);
    expect(asJson.exitCode).toBe(4);
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      base_url: service.url,
      accepted: false,
      account: null,
    });
    expect(JSON.parse(asJson.stderr)).toMatchObject({ error: { code: "key" } });
    expect(asText.exitCode).toBe(4);
    expect(asText.stdout).toContain("Accepted  no\n");
    expect(asText.stderr).toMatch(/^Error: The service does not accept this key\.\n {2}hint: /);
  });

  test("sends no request with --offline", async () => {
    const server = await scriptedServer();
    const ran = await runPayments(["whoami", "--offline", "--json"], {
      env: createServiceEnv(server.url),
    });
    expect(ran.exitCode).toBe(0);
    expect(parsePrinted(ran)).toMatchObject({
      key: { source: "PAYMENTS_API_KEY", last4: someKeys.test.slice(-4) },
      accepted: null,
      account: null,
    });
    expect(server.requests).toEqual([]);
    const inWords = await runPayments(["whoami", "--offline"], { home: createTemporaryHome() });
    expect(inWords.stdout).toContain("Accepted  not checked\n");
  });

  test("shows no account of an older service without accounts", async () => {
    const noPath = refusal(404, "endpoint_not_found");
    const server = await scriptedServer(noPath, holding(0), noPath, holding(0));
    const env = createServiceEnv(server.url);
    const [asJson, asText] = [
      await runPayments(["whoami", "--json"], { env }),
      await runPayments(["whoami"], { env }),
    ];
    expect(asJson.exitCode).toBe(0);
    expect(parsePrinted(asJson)).toMatchObject({ accepted: true, account: null });
    expect(asText.stdout).toContain("Accepted  yes\n");
    expect(asText.stdout).not.toContain("Account");
  });

  test("exits with 5 at a wrong base URL, and does not call the key accepted", async () => {
    const ran = await runPayments(["whoami", "--json"], {
      env: createServiceEnv(`${service.url}/api`),
    });
    expect(ran).toMatchObject({ stdout: "", exitCode: 5 });
    expect(parseError(ran)).toMatchObject({
      code: "endpoint_not_found",
      hint: expect.stringMatching(/^Check the base URL/) as unknown,
    });
  });
});
