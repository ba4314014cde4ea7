import type { ChildProcess } from "node:child_process";
import { describe, expect, test, vi } from "vitest";
import {
  type Answer,
  type ScriptedServer,
  holding,
  json,
  scriptedServer,
  silence,
} from "../../testkit/client/scripted-server.ts";
import { paymentWith } from "../../testkit/api-objects.ts";
import { runInTerminal, keys, requireTerminals } from "../../testkit/command/in-terminal.ts";
import {
  createServiceEnv,
  parseError,
  parsePayment,
  waitForEnd,
  runPayments,
  startPayments,
} from "../../testkit/command/run-payments.ts";

const payment = paymentWith();
const create = ["create", "--amount", "4999", "--currency", "eur", "--test-card", "visa"];
const refund = ["refund", payment.id, "--yes"];
const refunded = { ...payment, status: "refunded" };
const order = ["--idempotency-key", "order-1001"];

/** Starts the command, and waits for its last request, which the server never answers. */
async function startWaiting(args: string[], before: Answer[], then: Answer = silence) {
  const server = await scriptedServer(...before, silence, ...before, then);
  const child = startPayments(args, { env: createServiceEnv(server.url) });
  const ran = waitForEnd(child);
  await hasSeen(server, before.length + 1);
  return { child, ran, server };
}

async function hasSeen({ requests }: ScriptedServer, count: number): Promise<void> {
  await vi.waitUntil(() => requests.length >= count, { timeout: 120_000, interval: 10 });
}

const signals = [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const;

/**
 * A write, the signal, its arguments, the responses before the one that never comes, and that one when it is retried.
 */
type Interrupted = [
  what: string,
  signal: (typeof signals)[number],
  args: string[],
  before: Answer[],
  done: Answer,
];

describe.concurrent("a write that waits for the response", () => {
  test.each<Interrupted>([
    ...signals.map((signal) => ["create", signal, create, [], json(201, payment)] as Interrupted),
    ["refund", signals[0], refund, [json(200, payment)], json(200, refunded)],
  ])(
    "prints its key as text, and a retry with the key succeeds: %s, %j",
    async (_, [name, exitCode], args, before, done) => {
      const { child, ran, server } = await startWaiting([...args, ...order], before, done);
      child.kill(name);
      const { stdout, stderr, ...ended } = await ran;
      expect({ stdout, ...ended }).toEqual({ stdout: "", exitCode });
      expect(stderr).toContain(
        [
          "Error: Interrupted before the answer arrived.",
          "  hint: The outcome is unknown. Run the same command with --idempotency-key order-1001: nothing happens twice.\n",
        ].join("\n"),
      );
      const env = createServiceEnv(server.url);
      const again = await runPayments([...args, ...order, "--json"], { env });
      expect(parsePayment(again).id).toBe(payment.id);
      const keysSent = server.requests.flatMap(({ method, headers }) =>
        method === "POST" ? [headers["idempotency-key"]] : [],
      );
      expect(keysSent).toEqual(["order-1001", "order-1001"]);
    },
  );

  test("prints its key as JSON", async () => {
    const { child, ran, server } = await startWaiting([...create, "--json"], []);
    child.kill("SIGINT");
    const ended = await ran;
    expect(ended.exitCode).toBe(130);
    const key = server.requests.at(-1)?.headers["idempotency-key"];
    expect(parseError(ended)).toMatchObject({
      code: "interrupted",
      idempotency_key: key,
      hint: expect.stringContaining(`--idempotency-key ${String(key)}`) as unknown,
    });
  });

  test("prints its key even if one press of Ctrl-C arrives twice", async () => {
    const { child, ran } = await startWaiting([...create, ...order, "--json"], []);
    const clock = new Int32Array(new SharedArrayBuffer(4));
    for (let times = 0; times < 10; times++) {
      child.kill("SIGINT");
      Atomics.wait(clock, 0, 0, 2); // nothing of this process comes in between
    }
    const ended = await ran;
    // A signal at the last moment ends the process directly, which a shell also reports as 130.
    expect([130, null]).toContain(ended.exitCode);
    expect(parseError(ended)).toMatchObject({ code: "interrupted", idempotency_key: "order-1001" });
  });
});

describe.concurrent("payments create --wait", () => {
  const pending = paymentWith({ status: "pending" });

  test("prints the pending payment after SIGTERM", async () => {
    const server = await scriptedServer(holding(0), json(201, pending), json(200, pending));
    const args = [...create, "--wait", "--json"];
    const child = startPayments(args, { env: createServiceEnv(server.url) });
    const ran = waitForEnd(child);
    await hasSeen(server, 3);
    child.kill("SIGTERM");
    const ended = await ran;
    expect(ended.exitCode).toBe(143);
    expect(JSON.parse(ended.stdout)).toEqual(pending);
    expect(parseError({ ...ended, stdout: "" })).toMatchObject({
      code: "interrupted",
      message: expect.stringMatching(/^Interrupted/) as unknown,
      hint: null,
    });
  });

  test("ends at the second press if no reader consumes its output", async () => {
    const large = { ...pending, description: "x".repeat(4_000_000) };
    const server = await scriptedServer(holding(0), json(201, large), json(200, large));
    const child = startPayments([...create, "--wait"], { env: createServiceEnv(server.url) });
    await hasSeen(server, 3);
    const ended = waitForExit(child);
    const pressing = setInterval(() => child.kill("SIGINT"), 50);
    expect(await ended.finally(() => clearInterval(pressing))).toEqual({
      exitCode: 130,
      signal: null,
    });
  });
});

describe.concurrent("a read", () => {
  test("is ended at once by Ctrl-C, and says nothing", async () => {
    const { child, ran } = await startWaiting(["list"], []);
    const ended = waitForExit(child);
    child.kill("SIGINT");
    expect(await ended).toEqual({ exitCode: null, signal: "SIGINT" });
    expect(await ran).toEqual({ stdout: "", stderr: "", exitCode: null });
  });

  test("of many pages prints what has arrived", async () => {
    const server = await scriptedServer(holding(200), silence);
    const child = startPayments(["list", "--all", "-o", "ndjson"], {
      env: createServiceEnv(server.url),
    });
    const ran = waitForEnd(child);
    let arrived = "";
    child.stdout.on("data", (chunk: Buffer) => (arrived += String(chunk)));
    await vi.waitUntil(() => arrived.includes("000000000100"), { timeout: 120_000, interval: 10 });
    child.kill("SIGINT");
    const { stdout, stderr } = await ran;
    expect(stderr).toBe("");
    expect(stdout.trimEnd().split("\n")).toHaveLength(100);
  });
});

describe.concurrent("Ctrl-C while a refund waits for its response", () => {
  requireTerminals();
  test("is exit 9 after a prompt, so that it differs from a canceled prompt", async () => {
    const server = await scriptedServer(json(200, payment), silence);
    const terminal = runInTerminal(["refund", payment.id, ...order], {
      env: createServiceEnv(server.url),
    });
    await terminal.appears("Refund 49.99 EUR?");
    terminal.type(`y${keys.enter}`);
    await hasSeen(server, 2);
    terminal.type(keys.controlC);
    expect(await terminal.exitCode).toBe(9);
  });

  test("is exit 130 without a prompt", async () => {
    const failed = { ...payment, status: "failed" };
    const server = await scriptedServer(json(200, failed), silence);
    const terminal = runInTerminal(["refund", payment.id, ...order], {
      env: createServiceEnv(server.url),
    });
    await hasSeen(server, 2);
    terminal.type(keys.controlC);
    expect(await terminal.exitCode).toBe(130);
    expect(terminal.screen()).toContain("--idempotency-key order-1001");
  });
});

async function waitForExit(child: ChildProcess) {
  return await new Promise<{ exitCode: number | null; signal: NodeJS.Signals | null }>(
    (resolve) => {
      child.once("exit", (exitCode, signal) => resolve({ exitCode, signal }));
    },
  );
}
