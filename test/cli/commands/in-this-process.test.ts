import { describe, expect, test } from "vitest";
import { holding } from "../../testkit/client/scripted-list.ts";
import {
  json,
  paymentWith,
  refusal,
  scriptedServer,
  type Answer,
} from "../../testkit/client/scripted-server.ts";
import { createTemporaryHome } from "../../testkit/command/temporary-home.ts";
import {
  createServiceEnv,
  runInNewProcess,
  runPayments,
  type RunOptions,
} from "../../testkit/command/run-payments.ts";

// Most tests run commands in their own process. This file proves that a separate process gives the same results.

const atStart = readState();
const failed = paymentWith({ status: "failed", decline_code: "expired_card" });
const visa = ["--amount", "1", "--currency", "eur", "--test-card", "visa"];
const whole = JSON.stringify({ amount: 1, currency: "eur", card: { number: "4242424242424242" } });
const dryRun = ["create", "--data", "-", "--dry-run", "--idempotency-key", "k", "--json"];

const withoutService: [args: string[], options?: RunOptions][] = [
  [["--version"]],
  [[]],
  [["help", "exit-codes"], { env: { FORCE_COLOR: "1" } }],
  [["lst"]],
  [["list", "--staus", "failed", "--json"]],
  [["create", "--amount", "49.99", "--currency", "eur"], { env: { CLICOLOR_FORCE: "1" } }],
  [dryRun, { stdin: whole }],
  [["mode", "live"], { env: { PAYMENTS_MODE: "test" } }],
  [["list", "--json"], { env: { PAYMENTS_HOME: undefined, HOME: "/dev/null/none" } }],
  [["list", "--max-retries", "0"], { env: createServiceEnv("http://127.0.0.1:1") }],
];

const answered: [args: string[], answer: Answer, env?: Record<string, string>][] = [
  [["list"], holding(30), { TZ: "America/New_York" }],
  [["get", "pay_1", "--json"], refusal(404, "resource_missing")],
  [["create", ...visa, "--wait"], json(201, failed), { FORCE_COLOR: "1", TZ: "Asia/Tokyo" }],
];

describe.concurrent("a command in the test's process ends as in a separate one:", () => {
  test.each(withoutService)("payments %j", async (args, options) => {
    const same = { home: createTemporaryHome(), ...options };
    expect(await runPayments(args, same)).toEqual(await runInNewProcess(args, same));
  });

  test.each(answered)("payments %j, answered by a service", async (args, answer, env) => {
    const { url } = await scriptedServer(answer);
    const same = { home: createTemporaryHome(), env: { ...createServiceEnv(url), ...env } };
    expect(await runPayments(args, same)).toEqual(await runInNewProcess(args, same));
  });
});

describe("a command in the test's process", () => {
  test("restores the state of the process", async () => {
    const { url } = await scriptedServer(json(201, failed));
    const home = createTemporaryHome();
    const runAll = async () => {
      await runPayments(["create", ...visa, "--wait", "--no-color"], {
        env: createServiceEnv(url),
      });
      await runPayments(["create", ...visa], { home, env: { TZ: "Asia/Tokyo", FORCE_COLOR: "1" } });
      await runPayments(dryRun, { stdin: whole });
      await runPayments(["help"]);
      await runPayments(["lst"]);
    };
    const before = openConnections(); // that other tests of this process left behind
    await runAll(); // what is loaded may listen from then on
    const [listening, timers] = [countListeners(), listTimers()];
    await runAll();
    expect(readState()).toEqual(atStart);
    expect(countListeners()).toEqual(listening);
    expect(listTimers()).toBeLessThanOrEqual(timers);
    await expect.poll(openConnections).toBeLessThanOrEqual(before); // the other side's, too
  });

  test("sees nothing of the previous command", async () => {
    const escape = "\u001B[";
    expect((await runPayments(["help"], { env: { FORCE_COLOR: "1" } })).stdout).toContain(escape);
    expect((await runPayments(["help"])).stdout).not.toContain(escape);
    expect((await runPayments(["help", "--no-color"])).stdout).not.toContain(escape);
    const forced = await runPayments(["help"], { env: { CLICOLOR_FORCE: "1" } });
    expect(forced.stdout).toContain(escape);
    expect((await runPayments(["lst"])).exitCode).toBe(2);
    expect((await runPayments(["mode"], { env: { PAYMENTS_MODE: "live" } })).stdout).toBe("live\n");
    expect(await runPayments(["mode"])).toEqual({ stdout: "test\n", stderr: "", exitCode: 0 });
    const amounts = [1, 2].map(async (amount) => {
      const { stdout } = await runPayments(dryRun, { stdin: JSON.stringify({ amount }) });
      return (JSON.parse(stdout) as { body: { amount: number } }).body.amount;
    });
    expect(await Promise.all(amounts)).toEqual([1, 2]);
  });
});

/** The state of the process that a command could change. */
function readState() {
  const { argv, exitCode, env } = process;
  const streams = ["stdin", "stdout", "stderr"].map((name) =>
    Object.getOwnPropertyDescriptor(process, name),
  );
  const { console, oclif } = globalThis as { console: Console; oclif?: unknown };
  return {
    argv,
    exitCode,
    streams,
    console,
    oclif,
    env: { ...env },
    cwd: process.cwd(),
    warned: process.listeners("warning"),
    zone: new Date(0).getTimezoneOffset(),
  };
}

function countListeners() {
  return process.eventNames().map((name) => [name, process.listeners(name as "exit")]);
}

// Resources that would prevent the process from ending.

function listTimers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
}

function openConnections(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;
}
