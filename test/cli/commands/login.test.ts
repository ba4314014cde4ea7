import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runningService } from "../../testkit/client/running-service.ts";
import { json, paymentWith, scriptedServer, text } from "../../testkit/client/scripted-server.ts";
import { createTemporaryHome, someKeys } from "../../testkit/command/temporary-home.ts";
import {
  parsePrinted,
  parsePayment,
  runPayments,
  type RunOptions,
} from "../../testkit/command/run-payments.ts";

const service = runningService();
const visa = ["create", "--amount", "1", "--currency", "eur", "--test-card", "visa", "--json"];

async function login(home: string, key: string, options: RunOptions & { url?: string } = {}) {
  const args = ["login", "--base-url", options.url ?? service.url, "--max-retries", "0"];
  return await runPayments(args, { ...options, home, stdin: `${key}\n` });
}

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

  test("stores the key in a file that only its owner can read", async () => {
    const home = join(createTemporaryHome(), "home");
    await login(home, service.keys.test);
    expect(statSync(home).mode & 0o777).toBe(0o700);
    expect(readdirSync(home)).toEqual(["login-test.json"]);
    expect(statSync(join(home, "login-test.json")).mode & 0o777).toBe(0o600);
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

  test("replaces the key of its mode, but not the other mode's", async () => {
    const home = createTemporaryHome();
    const elsewhere = await scriptedServer(
      json(200, { object: "list", url: "/v1/payments", data: [], has_more: false }),
    );
    await login(home, service.keys.live);
    await login(home, someKeys.test, { url: elsewhere.url });
    await login(home, service.keys.test);
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

  const live = { object: "list", url: "/v1/payments", has_more: false };
  test.each([
    ["is no payments service", text(200, "<html>Welcome</html>"), 9],
    ["answers with live data", json(200, { ...live, data: [paymentWith({ livemode: true })] }), 4],
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
    const ran = await runPayments(args, { home, stdin: someKeys.test });
    expect(ran).toMatchObject({
      stderr: "Error: --mode says live, but the key is a test key. Nothing was stored.\n",
      exitCode: 4,
    });
    expect(server.requests).toEqual([]);
    expect(existsSync(join(home, "login-live.json"))).toBe(false);
  });

  test("without a base URL, or for the embedded service: exit 2", async () => {
    const home = createTemporaryHome();
    const [none, embedded] = await Promise.all([
      runPayments(["login"], { home, stdin: someKeys.test }),
      runPayments(["login", "--base-url", "embedded"], { home, stdin: someKeys.test }),
    ]);
    expect(none.exitCode).toBe(2);
    expect(none.stderr).toContain("Missing --base-url");
    expect(embedded).toMatchObject({
      stderr: "Error: The embedded service needs no login.\n",
      exitCode: 2,
    });
    expect(readdirSync(home)).toEqual([]);
  });
});
