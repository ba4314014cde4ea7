import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  json,
  paymentWith,
  refusal,
  scriptedServer,
} from "../../testkit/client/scripted-server.ts";
import { createTemporaryHome } from "../../testkit/command/temporary-home.ts";
import { runInTerminal, requireTerminals } from "../../testkit/command/in-terminal.ts";
import { createServiceEnv, runPayments } from "../../testkit/command/run-payments.ts";

const payment = paymentWith({ status: "failed" });
const list = { object: "list", url: "/v1/payments", data: [payment], has_more: false };
const red = "\u001B[31m";

/** Prints data as well as an error. */
const create = ["create", "--amount", "1", "--currency", "eur", "--test-card", "visa", "--wait"];

async function failedPayment(env: Record<string, string>, ...flags: string[]) {
  const server = await scriptedServer(json(201, payment));
  return await runPayments([...create, ...flags], {
    env: { ...createServiceEnv(server.url), ...env },
  });
}

describe.concurrent("colour in a pipe", () => {
  test.each([{ TERM: "xterm" }])("is off with %j", async (env) => {
    const { stdout, stderr } = await failedPayment(env);
    expect(stdout).toMatch(/^Payment +pay_/);
    expect(stderr).toMatch(/^Error: The payment failed/);
    expect(stdout + stderr).not.toContain("\u001B");
  });

  test.each([{ FORCE_COLOR: "1" }])("is on with %j, for data and for errors", async (env) => {
    const { stdout, stderr } = await failedPayment(env);
    expect(stdout).toContain(`${red}failed\u001B[39m`);
    expect(stderr).toContain(red);
  });

  test.each([{ NO_COLOR: "1" }])(
    "is off with %j, even if other variables turn it on",
    async (env) => {
      const variables = { FORCE_COLOR: "1", CLICOLOR_FORCE: "1", ...env };
      const { stdout, stderr } = await failedPayment(variables);
      expect(stdout + stderr).not.toContain("\u001B");
    },
  );

  test.each(["--help", "list --help", "help exit-codes"])(
    "is on with CLICOLOR_FORCE in %s too, unless NO_COLOR is set",
    async (line) => {
      const help = async (env: Record<string, string>) =>
        (await runPayments(line.split(" "), { env })).stdout;
      expect(await help({})).not.toContain("\u001B");
      expect(await help({ CLICOLOR_FORCE: "1" })).toContain("\u001B[");
      expect(await help({ CLICOLOR_FORCE: "1", NO_COLOR: "1" })).not.toContain("\u001B");
    },
  );
});

describe.concurrent("colour in a terminal", () => {
  requireTerminals();
  const failing = ["get", "pay_1"];
  const commands: [string, string[]][] = [
    ["data", ["list", "--debug"]],
    ["an error", failing],
    ["help", ["list", "--help"]],
    ["the list of commands", ["--help"]],
  ];

  async function readScreen(args: string[], env: Record<string, string> = {}): Promise<string> {
    const server = await scriptedServer(
      args === failing ? refusal(404, "resource_missing") : json(200, list),
    );
    const terminal = runInTerminal(args, { env: { ...createServiceEnv(server.url), ...env } });
    expect(await terminal.exitCode).toBe(args === failing ? 5 : 0);
    return terminal.screen();
  }

  test.each(commands)("%s is coloured", async (_, args) => {
    expect(await readScreen(args)).toContain("\u001B[");
  });

  test.each(commands)("%s is plain if the environment turns colours off", async (_, args) => {
    const ways: Record<string, string>[] = [{ NO_COLOR: "1" }, { TERM: "dumb" }];
    for (const env of ways) expect(await readScreen(args, env)).not.toContain("\u001B");
  });

  test("is decided for each stream: data in a file is plain, the error on the screen is coloured", async () => {
    const stdoutTo = join(createTemporaryHome(), "stdout.txt");
    const server = await scriptedServer(json(201, payment));
    const terminal = runInTerminal(create, { env: createServiceEnv(server.url), stdoutTo });
    expect(await terminal.exitCode).toBe(3);
    expect(terminal.screen()).toContain(red);
    expect(readFileSync(stdoutTo, "utf8")).toMatch(/^Payment +pay_[^\p{Cc}]+\n/u);
    expect(readFileSync(stdoutTo, "utf8")).not.toContain("\u001B");
  });
});
