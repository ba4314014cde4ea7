import { statSync, writeFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { accountWith, paymentWith } from "../testkit/api-objects.ts";
import {
  type ScriptedServer,
  json,
  scriptedServer,
  silence,
} from "../testkit/client/scripted-server.ts";
import { createTemporaryHome } from "../testkit/temporary.ts";
import {
  createServiceEnv,
  runPayments,
  startPayments,
  type RunOptions,
} from "../testkit/command/run-payments.ts";
import {
  canaryCard,
  leakingFiles,
  leaksIn,
  writtenCards,
  canaryKey,
} from "../testkit/deployment/canaries.ts";
import { needs, onLinux } from "../testkit/runner/needs.ts";

const amount = ["--amount", "4999", "--currency", "eur"];
const rest = ["--exp-month", "12", "--exp-year", "2040", "--cvc", canaryCard.cvc];
const body = JSON.stringify({ amount: 4999, currency: "eur", card: canaryCard });
const card = JSON.stringify(canaryCard);

/** Every source of a card. */
const ways: [way: string, args: string[], stdin?: string][] = [
  [
    "--card-number, in groups",
    [...amount, "--card-number", writtenCards["with spaces"] ?? "", ...rest],
  ],
  ["--card-file", [...amount, "--card-file", fileOf(card)]],
  ["--card-file -", [...amount, "--card-file", "-"], card],
  ["--data", ["--data", fileOf(body)]],
  ["--data -", ["--data", "-"], body],
];

describe.concurrent.each(ways)("a card from %s", (_, args, stdin = "") => {
  test("goes to the service in the body, and is neither printed nor stored, even with --debug", async () => {
    const server = await scriptedServer(json(201, paymentWith()));
    const home = createTemporaryHome();
    const options = { home, env: createServiceEnv(server.url), stdin };
    const ran = await runPayments(["create", ...args, "--debug"], options);
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toContain('"number":"…1486"');
    expect(leaksIn(ran.stdout + ran.stderr)).toEqual([]);
    expect(leakingFiles(home)).toEqual([]);
    expect(server.requests).toHaveLength(1);
    const { body: sent = "", ...request } = server.requests[0] ?? {};
    expect(JSON.parse(sent)).toMatchObject({ card: canaryCard });
    expect(leaksIn(JSON.stringify(request))).toEqual([]);
  });
});

test.concurrent("the embedded service stores no card, not even in the log of a database that was cut off", async () => {
  const home = createTemporaryHome();
  const child = startPayments(["create", "--data", "-", "--wait", "--debug"], {
    home,
    stdin: body,
  });
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  await vi.waitUntil(() => stderr.includes("< 201"), { timeout: 120_000 });
  child.kill("SIGKILL");
  expect(statSync(join(home, "payments.db-wal")).size).toBeGreaterThan(0);
  expect(leakingFiles(home)).toEqual([]);
  const listed = await runPayments(["list", "--json", "--debug"], { home });
  expect(listed.stdout).toContain('"last4":"1486"');
  expect(leaksIn(stderr + listed.stdout + listed.stderr)).toEqual([]);
  expect(leakingFiles(home)).toEqual([]);
});

function fileOf(content: string): string {
  const file = join(createTemporaryHome(), "input.json");
  writeFileSync(file, content);
  return file;
}

type Source = "PAYMENTS_API_KEY" | "--api-key-file" | "standard input";
const sources: Source[] = ["PAYMENTS_API_KEY", "--api-key-file", "standard input"];
const list = json(200, { object: "list", url: "/v1/payments", data: [], has_more: false });

/** The options that give a command a key from a source. */
function keyFrom(source: Source, key: string, { url }: ScriptedServer) {
  const home = createTemporaryHome();
  const env: Record<string, string> = { PAYMENTS_BASE_URL: url };
  if (source === "PAYMENTS_API_KEY") env["PAYMENTS_API_KEY"] = key;
  const options: RunOptions = { home, env };
  if (source === "PAYMENTS_API_KEY") return { home, options, flags: [] };
  if (source === "standard input") {
    return { home, options: { ...options, stdin: key }, flags: ["--api-key-file", "-"] };
  }
  const file = join(createTemporaryHome(), "key.txt");
  writeFileSync(file, key);
  return { home, options, flags: ["--api-key-file", file] };
}

/** Expects that a server got the key only in its header. */
function expectOnlyInHeader({ requests }: ScriptedServer): void {
  expect(requests).not.toEqual([]);
  for (const { headers, ...request } of requests) {
    const { authorization, ...others } = headers;
    expect(authorization).toBe(`Bearer ${canaryKey}`);
    expect(leaksIn(JSON.stringify([request, others]))).toEqual([]);
  }
}

describe.concurrent.each(sources)("a key from %s", (source) => {
  test("is neither printed nor stored, even with --debug", async () => {
    const server = await scriptedServer(list);
    const { home, options, flags } = keyFrom(source, canaryKey, server);
    const ran = await runPayments(["list", "--debug", ...flags], options);
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toContain("authorization: Bearer svc_live_sk_…");
    expect(leaksIn(ran.stdout + ran.stderr)).toEqual([]);
    expect(leakingFiles(home)).toEqual([]);
    expectOnlyInHeader(server);
  });

  describe("while a command runs", () => {
    needs(onLinux, "/proc, as Linux has it");

    test("is not in the list of processes", async () => {
      const server = await scriptedServer(silence);
      const { options, flags } = keyFrom(source, canaryKey, server);
      const child = startPayments(["list", ...flags], options);
      await vi.waitUntil(() => server.requests.length > 0, { timeout: 120_000 });
      const texts = ["cmdline", "comm", "status"].map((name) =>
        readFileSync(`/proc/${child.pid}/${name}`, "latin1"),
      );
      child.kill("SIGKILL");
      expect(texts.join(" ")).toContain("list");
      expect(leaksIn(texts.join(" "))).toEqual([]);
    });
  });
});

test.concurrent("login stores the key in one file of mode 0600, until logout", async () => {
  const account = json(200, accountWith({ livemode: true }));
  const server = await scriptedServer(account, list, account);
  const home = createTemporaryHome();
  const env = { PAYMENTS_MODE: "live" };
  const run = async (...args: string[]) => {
    const ran = await runPayments(args, { home, env, stdin: canaryKey });
    expect(ran.exitCode).toBe(0);
    expect(leaksIn(ran.stdout + ran.stderr)).toEqual([]);
  };
  await run("login", "--base-url", server.url);
  await run("list", "--debug");
  await run("whoami", "--debug", "--json");
  expect(leakingFiles(home)).toEqual(["login-live.json"]);
  expect(statSync(join(home, "login-live.json")).mode & 0o777).toBe(0o600);
  expectOnlyInHeader(server);
  await run("logout");
  expect(leakingFiles(home)).toEqual([]);
});
