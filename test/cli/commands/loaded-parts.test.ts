import { globSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { body, runningService } from "../../testkit/client/running-service.ts";
import {
  entries,
  listLoadedFiles,
  outputs,
  root,
  selectContained,
} from "../../testkit/command/built-commands.ts";
import {
  hasTerminals,
  keys,
  noTerminals,
  runInTerminal,
} from "../../testkit/command/in-terminal.ts";
import { listenPayments, servePayments } from "../../testkit/command/running-commands.ts";
import { createServiceEnv, runPayments } from "../../testkit/command/run-payments.ts";
import { createHomeWithDatabase } from "../../testkit/database/open-database.ts";
import { createTemporaryHome } from "../../testkit/temporary.ts";

const service = runningService();

const prompts = "node_modules/@inquirer/";
const zod = "node_modules/zod/";
const http = "node_modules/fastify/";
const store = "src/service/database/sqlite.ts";
const metrics = "src/service/server/metrics.ts";
const network = "src/service/networks/http-network.ts";
const stripe = "node_modules/stripe/";
const dashboard = "src/service/web/dashboard/";
const sandbox = ["src/service/sandbox/", "src/contract/sandbox.ts"];
const signing = "src/runtime/sign-webhook.ts";
const pool = "node_modules/undici/lib/dispatcher/pool.js";
const help = "src/cli/help/";
const proxies = "src/runtime/through-proxy.ts";
const sandboxCommand = "src/cli/sandbox/";
const parts = [prompts, zod, http, store, metrics, network, stripe, dashboard, signing];
const all = parts.concat(pool, help, proxies, sandboxCommand);

type Env = Record<string, string>;
type Run = (env: Env) => Promise<unknown>;
const begun = await createHomeWithDatabase();
const remote = () => createServiceEnv(service.url, service.keys.test);
const run =
  (line: string, settings: () => Env = () => ({}), exitCode = 0): Run =>
  async (env) => {
    const ran = await runPayments(line.split(" "), { env: { ...env, ...settings() } });
    expect(ran.exitCode).toBe(exitCode);
  };
const serve =
  (flags: string[], settings: Env = {}): Run =>
  async (env) =>
    (await servePayments(flags, { env: { ...env, ...settings } })).end("SIGTERM");
const secret = { PAYMENTS_NETWORK_SECRET: "secret" };
const toStripe = { PAYMENTS_NETWORK: "stripe", PAYMENTS_STRIPE_SECRET_KEY: "sk_test_none" };

test.each<[what: string, run: Run, loaded: string[], without?: string[]]>([
  ["a read of a service", run("list", remote), [pool]],
  ["a read of endpoints", run("webhooks list", remote), [pool]],
  [
    "a request about an endpoint",
    run("webhooks create --url https://shop.example/hooks", remote),
    [zod, pool],
  ],
  ["a read of the embedded service", run("list"), [http, store], [prompts, metrics]],
  [
    "a command on the database",
    run("keys create --mode test --name ci", () => ({ PAYMENTS_HOME: begun })),
    [store],
    [http, metrics, pool],
  ],
  [
    "a probe of a service",
    async (env) => run(`health ${service.url}`)(env),
    [pool],
    [zod, http, store, help, proxies, "src/client/client.ts", "src/cli/program/base-command.ts"],
  ],
  ["a listener", run("listen --print-secret", remote), [pool]],
  [
    "network check",
    run("network check http://127.0.0.1:9", () => secret, 9),
    [network],
    [http, store, metrics],
  ],
  ["a service", serve([]), [http, store, metrics], [dashboard, stripe, ...sandbox]],
  [
    "a service with a dashboard on Stripe",
    serve(["--dashboard"], toStripe),
    [http, dashboard, stripe],
    sandbox,
  ],
  [
    "a listener that forwards",
    async (env) => {
      const to = ["--forward-to", "http://127.0.0.1:1/"];
      const command = listenPayments(to, { env: { ...remote(), ...env } });
      await command.says(/^Secret/);
      await command.end("SIGTERM");
    },
    [signing, pool],
  ],
])("%s loads only the code that it needs", async (_, start, loaded, without) => {
  const coverage = createTemporaryHome();
  await start({ NODE_V8_COVERAGE: coverage });
  const expected = without ? [...loaded, ...without] : all;
  expect(selectContained(listLoaded(coverage), expected).toSorted()).toEqual(loaded.toSorted());
});

test("the code of prompts is loaded only for a prompt that redraws the screen", async ({
  skip,
}) => {
  skip(!hasTerminals, noTerminals);
  const { id } = await service.client().payments.create(body);
  const refund = async (flags: string[], env: Env = {}) => {
    const coverage = createTemporaryHome();
    const terminal = runInTerminal(["refund", id, ...flags], {
      env: { ...remote(), NODE_V8_COVERAGE: coverage, ...env },
    });
    if (flags.length === 0) {
      await terminal.appears("Refund 49.99 EUR?");
      terminal.type(keys.enter);
    }
    await terminal.exitCode;
    return selectContained(listLoaded(coverage), [prompts]);
  };
  expect(await refund([])).toEqual([prompts]);
  expect(await refund([], { ACCESSIBLE: "1" })).toEqual([]);
  expect(await refund(["--yes"])).toEqual([]);
});

test("the schema compiler is not in the build, since the service gives Fastify no schemas", () => {
  const packages = readFileSync(join(root, "dist/THIRD-PARTY-LICENSES.txt"), "utf8");
  expect(packages).toMatch(/^fastify /m);
  expect(packages).not.toMatch(/^ajv /m);
});

test("the build is the same wherever it is made: it has nothing of this folder's path", () => {
  const files = globSync("dist/*.{cjs,js}", { cwd: root });
  expect(files.length).toBeGreaterThan(100);
  const named = files.filter((file) => readFileSync(join(root, file), "utf8").includes(root));
  expect(named).toEqual([]);
});

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

/** The modules for help, and for a mistyped command line. */
const suggestions = "src/cli/help/suggest.ts";
const completion = "src/cli/help/completion.ts";
const commandHelp = "src/cli/help/show-help.ts";
const guidance = [suggestions, completion, commandHelp];

const commands = entries.filter((entry) => entry.startsWith("src/cli/commands/"));
const ordinary = commands.filter((entry) => !/\/(?:help|completion)\.ts$/.test(entry));

/** The files of commands that load one of these parts with their own code. */
function listLoading(files: string[], unwanted: string[]) {
  return files.filter((entry) => selectContained(listLoadedFiles(entry), unwanted).length > 0);
}

test("the parser of CSV is loaded only where a file is read", () => {
  const parser = "node_modules/csv-parse/";
  expect(listLoading(["src/cli/program/main.ts", ...commands], [parser])).toEqual([]);
  expect(listLoading(["src/cli/reconcile/read-report.ts"], [parser])).toHaveLength(1);
});

test("the version is printed without the library of commands", () => {
  expect(listLoading(["src/cli/program/main.ts"], ["node_modules/@oclif/"])).toEqual([]);
});

test("a command that reads a service loads no cryptography and no schemas", () => {
  const commandsThatRead = ["list", "get", "events/list", "logs/list", "webhooks/list", "whoami"];
  const loading = commandsThatRead.filter((name) => {
    const files = listLoadedFiles(`src/cli/commands/${name}.ts`);
    return [...files].some((file) =>
      outputs[file]?.imports.some(({ path }) => path === "node:crypto"),
    );
  });
  expect(loading).toEqual([]);
  const reads = commandsThatRead.map((name) => `src/cli/commands/${name}.ts`);
  expect(listLoading(reads, [zod])).toEqual([]);
});

test("a command over the embedded service loads nothing that only a running service or an operator needs", () => {
  const unneeded = [
    "src/service/web/checkout/",
    "src/service/web/design/",
    dashboard,
    ...sandbox,
    metrics,
    network,
    "src/service/networks/guard-network.ts",
    "src/service/webhooks/guarded-connector.ts",
    "src/service/webhooks/webhook-sender.ts",
    "src/service/database/postgres.ts",
    "src/service/server/doctor/",
    "src/service/server/serve.ts",
    "src/service/server/back-up-database.ts",
  ];
  expect(listLoading(["src/cli/config/connect-embedded.ts"], unneeded)).toEqual([]);
});

test("an ordinary command loads no help, completion or suggestions", () => {
  expect(listLoading(["src/cli/program/main.ts", ...ordinary], guidance)).toEqual([]);
});

test("the commands for help load the modules for help", () => {
  expect(selectContained(listLoadedFiles("src/cli/help/show-help.ts"), guidance)).toEqual([
    suggestions,
    commandHelp,
  ]);
  const loaded = listLoadedFiles("src/cli/commands/completion.ts");
  expect(selectContained(loaded, guidance)).toEqual([completion]);
});

test("the code for tables is loaded only for a table, that for proxies only for a proxy", () => {
  expect(ordinary.length).toBeGreaterThan(20);
  const tables = ["node_modules/cli-table3/", "node_modules/fast-string-width/"];
  expect(listLoading(ordinary, tables)).toEqual([]);
  const agent = ["node_modules/undici/lib/dispatcher/proxy-agent.js"];
  expect(listLoading(commands, agent)).toEqual([]);
});
