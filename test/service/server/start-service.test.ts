import { spawn } from "node:child_process";
import { once } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { RunningSandbox } from "../../../src/service/server/start-sandbox.ts";
import {
  startService,
  type NetworkSettings,
  type RunningService,
} from "../../../src/service/server/start-service.ts";

let service: RunningService;
beforeAll(async () => {
  service = await startService({ processingTimeMs: 20 });
});
afterAll(async () => service.close());

async function call(path: string, key: string, body?: object): Promise<Response> {
  return fetch(`${service.url}${path}`, {
    method: body ? "POST" : "GET",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
}

describe("a service for a test suite", () => {
  test.each(["", " "])("does not listen if the host is %j", async (host) => {
    await expect(startService({ host })).rejects.toThrow("The host to listen on is empty.");
  });

  const adapter = { secret: "s3cret" };
  const elsewhere = "http://192.0.2.2:8500";
  test.each<[what: string, network: NetworkSettings, told: RegExp]>([
    [
      "an adapter",
      { ...adapter, url: elsewhere },
      /^network\.url is not encrypted: .*card numbers/,
    ],
    [
      "Stripe",
      { stripe: { secretKey: "sk_test_1", baseUrl: elsewhere } },
      /^network\.stripe\.baseUrl is not encrypted: .*card numbers/,
    ],
  ])("sends card numbers over plain http to no other machine, as %s", async (_, network, told) => {
    await expect(startService({ network })).rejects.toThrow(told);
    await expect(startService({ network })).rejects.toThrow(TypeError);
  });

  test("sends them over plain http to this machine, and elsewhere with allowHttp", async () => {
    const stripe = { secretKey: "sk_test_1", baseUrl: elsewhere, allowHttp: true };
    const networks = [
      { ...adapter, url: "http://127.0.0.1:9" },
      { ...adapter, url: elsewhere, allowHttp: true },
      { stripe },
    ];
    for (const network of networks) {
      const started = await startService({ network });
      await expect(started.close()).resolves.toBeUndefined();
    }
  });

  test("sends them to nobody whose certificate is not checked", async () => {
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    onTestFinished(() => void vi.unstubAllEnvs());
    const network = { ...adapter, url: "https://adapter.example" };
    await expect(startService({ network })).rejects.toThrow(/^NODE_TLS_REJECT_UNAUTHORIZED=0/);
  });

  test.each([
    { host: "0.0.0.0" },
    { host: "::" },
    { publicUrl: "http://payments.example" },
    { host: "0.0.0.0", publicUrl: "http://127.0.0.1" },
  ])("serves no dashboard without encryption to others: %j", async (settings) => {
    const open = async () => startService({ dashboard: {}, ...settings });
    await expect(open).rejects.toThrow(/^dashboard needs an https publicUrl/);
    const allowed = { port: 0, dashboard: { allowHttp: true }, ...settings };
    await (await startService(allowed)).close();
  });

  test.each([
    { host: "0.0.0.0", publicUrl: "https://payments.example" },
    { host: "::1" },
    { publicUrl: "http://localhost:1" },
  ])(
    "serves a dashboard to this machine, and behind a proxy that encrypts: %j",
    async (settings) => {
      const started = await startService({ dashboard: {}, ...settings });
      expect((await fetch(`${started.url}/dashboard/sign-in`)).status).toBe(200);
      await started.close();
    },
  );

  test("shares no data with another service in the same process", async () => {
    const other = await startService();
    expect(other.url).not.toBe(service.url);
    expect(other.keys).not.toEqual(service.keys);
    expect((await call("/v1/payments", other.keys.test)).status).toBe(401);
    await other.close();
    expect((await call("/v1/payments", service.keys.test)).status).toBe(200);
  });

  test("refuses no request while the suite blocks the process", async () => {
    for (let turn = 0; turn < 3; turn++) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_300);
      await nextTurn();
    }
    expect((await call("/v1/payments", service.keys.test)).status).toBe(200);
  });

  test("does not listen after it is closed", async () => {
    const other = await startService();
    expect((await fetch(`${other.url}/docs/errors`)).status).toBe(200);
    await other.close();
    await expect(fetch(`${other.url}/docs/errors`)).rejects.toThrow("fetch failed");
  });
});

test.each<[told: string, settings: unknown]>([
  ["startService takes an object of options: sandbox, database, host", null],
  ["startService takes an object of options", "sqlite::memory:"],
  ["startService has no option databse. Did you mean database?", { databse: "a" }],
  ["startService has no option clock. It has sandbox, database", { clock: "manual" }],
  [
    "startService with sandbox has no option processingTimeMs.",
    { sandbox: true, processingTimeMs: 1 },
  ],
  [
    "startService with sandbox has no option Seed. Did you mean seed?",
    { sandbox: true, Seed: "1" },
  ],
  ["sandbox must be true or false", { sandbox: "yes" }],
  ["unref must be true or false", { sandbox: true, unref: 1 }],
  ["startService has no option unref.", { unref: true }],
  ["clock must be real or manual", { sandbox: true, clock: "x" }],
  ["seed must be text", { sandbox: true, seed: 1 }],
  ["port must be a port, from 0", { port: 70_000 }],
  ["port must be a port, from 0", { sandbox: true, port: "8402" }],
  ["metricsPort must be a port", { metricsPort: -1 }],
  ["database must be text", { database: null }],
  ["host must be text", { sandbox: true, host: 127 }],
  ["publicUrl must be an http or https address", { publicUrl: "pay.example" }],
  ["processingTimeMs must be a whole number of milliseconds", { processingTimeMs: "1s" }],
  ["processingTimeMs must be a whole number of milliseconds", { processingTimeMs: 1.5 }],
  ["hppExpiryMs must be a whole number of milliseconds", { hppExpiryMs: -1 }],
  ["hppExpiryMs must be a whole number of milliseconds", { hppExpiryMs: Infinity }],
  ["rateLimit must be a number of requests a second", { rateLimit: Number.NaN }],
  ["webhooks takes an object of options: schedule", { webhooks: true }],
  [
    "webhooks has no option allowPrivate. Did you mean allowsPrivate?",
    { webhooks: { allowPrivate: true } },
  ],
  ["webhooks.schedule must be a list of", { webhooks: { schedule: [] } }],
  ["webhooks.schedule must be a list of", { webhooks: { schedule: [0.5] } }],
  ["dashboard takes an object of options: trustedProxies", { dashboard: true }],
  ["dashboard.trustedProxies must be a BlockList", { dashboard: { trustedProxies: ["::1"] } }],
  ["network takes an object of options: url, secret", { network: "https://network.example" }],
  [
    "network.url must be an http or https address",
    { network: { url: "network.example", secret: "s" } },
  ],
  ["network.secret must be text", { network: { url: "https://network.example" } }],
  ["network.secret must be text", { network: { url: "https://network.example", secret: " " } }],
  ["network.stripe.secretKey must be text", { network: { stripe: {} } }],
  ["log must be a log", { log: console.log }],
])(
  "settings with which a service would not start as they say are a TypeError: %s (%#)",
  async (told, settings) => {
    const starting = startService(settings as object);
    await expect(starting).rejects.toThrow(TypeError);
    await expect(starting).rejects.toThrow(told);
  },
);

describe("a sandbox that is closed", () => {
  let sandbox: RunningSandbox;
  let other: Awaited<ReturnType<RunningSandbox["createAccount"]>>;
  beforeAll(async () => {
    sandbox = await startService({ sandbox: true });
    other = await sandbox.createAccount();
    await Promise.all([sandbox.close(), sandbox.close()]);
  });

  const fault = { on: "*", do: "lost_answer" } as const;
  test.each<[string, () => unknown]>([
    ["reset", async () => sandbox.reset()],
    ["createAccount", async () => sandbox.createAccount()],
    ["advance", async () => sandbox.advance("1s")],
    ["advanceTo", async () => sandbox.advanceTo(4_000_000_000)],
    ["waitForEvent", async () => sandbox.waitForEvent({})],
    ["now", () => sandbox.now()],
    ["fault", () => sandbox.fault(fault)],
    ["faults", () => sandbox.faults()],
    ["clearFaults", () => sandbox.clearFaults()],
    ["requests", () => sandbox.requests()],
    ["fault of another account", () => other.fault(fault)],
    ["requests of another account", () => other.requests()],
  ])("says so: %s", async (_, method) => {
    await expect((async () => method())()).rejects.toThrow("This sandbox is closed.");
  });

  test("is closed once more without an error", async () => {
    await expect(sandbox.close()).resolves.toBeUndefined();
  });
});

test.each<[told: string, fault: unknown]>([
  ["fault takes an object of options: on, do, times", undefined],
  ["fault has no option time. Did you mean times?", { on: "*", do: "lost_answer", time: 2 }],
])("a fault that is none is a TypeError: %s", async (told, fault) => {
  const sandbox = await startService({ sandbox: true });
  expect(() => sandbox.fault(fault as never)).toThrow(TypeError);
  expect(() => sandbox.fault(fault as never)).toThrow(told);
  await sandbox.close();
});

test.each<[what: string, settings: { sandbox: true } | undefined]>([
  ["service", undefined],
  ["sandbox", { sandbox: true }],
])("a %s ends with the block that is using it, and once", async (_, settings) => {
  const opened = await (settings ? startService(settings) : startService());
  {
    await using used = opened;
    expect((await fetch(`${used.url}/docs/errors`)).status).toBe(200);
  }
  await expect(fetch(`${opened.url}/docs/errors`)).rejects.toThrow("fetch failed");
  await expect(Promise.all([opened.close(), opened.close()])).resolves.toBeDefined();
});

describe("a program that forgets to close", () => {
  const program = new URL("../../programs/forget-to-close.ts", import.meta.url).pathname;
  const start = (settings: object) => {
    const child = spawn(process.execPath, [program, JSON.stringify(settings)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    return child;
  };

  test("ends by itself where its sandbox is unref", async () => {
    const child = start({ sandbox: true, unref: true });
    const ended = once(child, "exit");
    const [kept] = (await once(child.stdout, "data")) as [Buffer];
    expect(String(kept)).toBe("succeeded \n");
    expect(await ended).toEqual([0, null]);
  });

  test.each([{ sandbox: true }, {}])("is kept by what listens: %j", async (settings) => {
    const [kept] = (await once(start(settings).stdout, "data")) as [Buffer];
    expect(String(kept)).toMatch(/^succeeded .*TCPServerWrap/);
  });
});
