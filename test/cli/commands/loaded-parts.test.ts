import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { freePort } from "../../testkit/sockets/free-port.ts";
import { body, runningService } from "../../testkit/client/running-service.ts";
import { createTemporaryHome } from "../../testkit/command/temporary-home.ts";
import { root } from "../../testkit/command/built-commands.ts";
import { selectContained } from "../../testkit/command/built-sources.ts";
import { runInTerminal, keys, requireTerminals } from "../../testkit/command/in-terminal.ts";
import { listenPayments } from "../../testkit/command/listen-payments.ts";
import { createServiceEnv, runPayments } from "../../testkit/command/run-payments.ts";
import { servePayments } from "../../testkit/command/serve-payments.ts";

const service = runningService();

/** The built files that a process has loaded, according to Node's coverage. */
function listLoaded(coverage: string): string[] {
  const urls = readdirSync(coverage).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(join(coverage, name), "utf8")) as {
      result: { url: string }[];
    };
    return result.map(({ url }) => url);
  });
  return urls
    .filter((url) => url.includes("/dist/"))
    .map((url) => relative(root, fileURLToPath(url)));
}

describe.concurrent("the code of prompts is loaded", () => {
  requireTerminals();
  const library = "node_modules/@inquirer/";

  test("only for a prompt", async () => {
    const { id } = await service.client().payments.create(body);
    const [prompted, unprompted, accessible] = [
      createTemporaryHome(),
      createTemporaryHome(),
      createTemporaryHome(),
    ];
    const env = (coverage: string) => ({
      ...createServiceEnv(service.url, service.keys.test),
      NODE_V8_COVERAGE: coverage,
    });
    const asking = runInTerminal(["refund", id], { env: env(prompted) });
    await asking.appears("Refund 49.99 EUR?");
    asking.type(keys.enter);
    expect(await asking.exitCode).toBe(10);
    const plain = runInTerminal(["refund", id], { env: { ...env(accessible), ACCESSIBLE: "1" } });
    await plain.appears("Refund 49.99 EUR?");
    plain.type(keys.enter);
    expect(await plain.exitCode).toBe(10);
    expect(await runInTerminal(["refund", id, "--yes"], { env: env(unprompted) }).exitCode).toBe(0);

    const command = "src/cli/commands/refund.ts";
    expect(selectContained(listLoaded(prompted), [command, library])).toEqual([command, library]);
    expect(selectContained(listLoaded(accessible), [command, library])).toEqual([command]);
    expect(selectContained(listLoaded(unprompted), [command, library])).toEqual([command]);
  });
});

/** The modules of each part of the service. */
const metrics = "src/service/server/metrics/";
const http = "node_modules/fastify/";
const store = "src/service/store/sqlite.ts";
const parts = [metrics, http, store];

function watching(coverage: string): Record<string, string> {
  return { NODE_V8_COVERAGE: coverage };
}

test("the code for operators is loaded only by a separate service", async () => {
  const [remote, embedded, keyed, served] = [
    createTemporaryHome(),
    createTemporaryHome(),
    createTemporaryHome(),
    createTemporaryHome(),
  ];
  const env = { ...createServiceEnv(service.url, service.keys.test), ...watching(remote) };
  expect((await runPayments(["list"], { env })).exitCode).toBe(0);
  expect((await runPayments(["list"], { env: watching(embedded) })).exitCode).toBe(0);
  expect((await runPayments(["keys", "list"], { env: watching(keyed) })).exitCode).toBe(0);
  await (await servePayments([], { env: watching(served) })).end("SIGTERM");
  expect(selectContained(listLoaded(served), parts)).toEqual(parts);
  expect(selectContained(listLoaded(embedded), parts)).toEqual([http, store]);
  expect(selectContained(listLoaded(keyed), parts)).toEqual([store]);
  expect(selectContained(listLoaded(remote), parts)).toEqual([]);
});

test("the schema compiler is not in the build, since the service gives Fastify no schemas", () => {
  const packages = readFileSync(join(root, "dist/THIRD-PARTY-LICENSES.txt"), "utf8");
  expect(packages).toMatch(/^fastify /m);
  expect(packages).not.toMatch(/^ajv /m);
});

test("network check loads the adapter's client, but no service", async () => {
  const [checked, read] = [createTemporaryHome(), createTemporaryHome()];
  const adapter = { PAYMENTS_NETWORK_SECRET: "secret", ...watching(checked) };
  const url = `http://127.0.0.1:${await freePort()}`;
  expect((await runPayments(["network", "check", url], { env: adapter })).exitCode).toBe(9);
  const env = { ...createServiceEnv(service.url, service.keys.test), ...watching(read) };
  expect((await runPayments(["list"], { env })).exitCode).toBe(0);
  const network = "src/service/networks/http-network.ts";
  expect(selectContained(listLoaded(checked), [network, ...parts])).toEqual([network]);
  expect(selectContained(listLoaded(read), [network])).toEqual([]);
});

test("a command that reads loads neither zod nor other commands' code", async () => {
  const read = createTemporaryHome();
  const env = { ...createServiceEnv(service.url, service.keys.test), ...watching(read) };
  expect((await runPayments(["list"], { env })).exitCode).toBe(0);
  const pool = "node_modules/undici/lib/dispatcher/pool.js";
  const withoutDashboard = ["node_modules/zod/", "src/client/through-proxy.ts", "src/cli/help/"];
  expect(selectContained(listLoaded(read), [pool, ...withoutDashboard])).toEqual([pool]);
});

test("a command about events or endpoints loads no service, and one that reads no zod", async () => {
  const [listed, managed, made] = [
    createTemporaryHome(),
    createTemporaryHome(),
    createTemporaryHome(),
  ];
  const at = createServiceEnv(service.url, service.keys.test);
  const runs: [home: string, args: string[]][] = [
    [listed, ["events", "list"]],
    [managed, ["webhooks", "list"]],
    [made, ["webhooks", "create", "--url", "https://shop.example/hooks"]],
  ];
  for (const [coverage, args] of runs) {
    expect((await runPayments(args, { env: { ...at, ...watching(coverage) } })).exitCode).toBe(0);
  }
  const zod = "node_modules/zod/";
  expect(selectContained(listLoaded(listed), [zod, ...parts])).toEqual([]);
  expect(selectContained(listLoaded(managed), [zod, ...parts])).toEqual([]);
  expect(selectContained(listLoaded(made), [zod, ...parts])).toEqual([zod]);
});

test("listen loads neither a service nor a driver, and the signing code only to forward", async () => {
  const [printed, forwards] = [createTemporaryHome(), createTemporaryHome()];
  const env = createServiceEnv(service.url, service.keys.test);
  const secret = ["listen", "--print-secret"];
  expect((await runPayments(secret, { env: { ...env, ...watching(printed) } })).exitCode).toBe(0);
  const to = ["--forward-to", "http://127.0.0.1:1/"];
  const command = listenPayments(to, { env: { ...env, ...watching(forwards) } });
  await command.says(/^Secret/);
  await command.end("SIGTERM");
  const signing = "node_modules/standardwebhooks/";
  expect(selectContained(listLoaded(printed), [signing, ...parts])).toEqual([]);
  expect(selectContained(listLoaded(forwards), [signing, ...parts])).toEqual([signing]);
});

test("only a service with a dashboard loads the dashboard", async () => {
  const [shown, others] = [createTemporaryHome(), createTemporaryHome()];
  for (const [args, coverage] of [[["--dashboard"], shown] as const, [[], others] as const])
    await (await servePayments([...args], { env: watching(coverage) })).end("SIGTERM");
  const dashboard = "src/service/web/dashboard/";
  expect(selectContained(listLoaded(shown), [dashboard])).toEqual([dashboard]);
  expect(selectContained(listLoaded(others), [dashboard])).toEqual([]);
});

test("only a service on Stripe loads Stripe's library", async () => {
  const [attached, others] = [createTemporaryHome(), createTemporaryHome()];
  const stripe = { PAYMENTS_NETWORK: "stripe", PAYMENTS_STRIPE_SECRET_KEY: "sk_test_none" };
  for (const env of [{ ...stripe, ...watching(attached) }, watching(others)])
    await (await servePayments([], { env })).end("SIGTERM");
  const library = "node_modules/stripe/";
  expect(selectContained(listLoaded(attached), [library])).toEqual([library]);
  expect(selectContained(listLoaded(others), [library])).toEqual([]);
});
