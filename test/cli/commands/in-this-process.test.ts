import { describe, expect, test } from "vitest";
import {
  type Answer,
  holding,
  json,
  refusal,
  scriptedServer,
} from "../../testkit/client/scripted-server.ts";
import { paymentWith } from "../../testkit/api-objects.ts";
import { createTemporaryHome } from "../../testkit/temporary.ts";
import {
  createServiceEnv,
  runInNewProcess,
  runPayments,
  type RunOptions,
} from "../../testkit/command/run-payments.ts";

// Most tests run commands in their own process. This file proves that a separate process gives the same results.

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

// Resources that would prevent the process from ending.
