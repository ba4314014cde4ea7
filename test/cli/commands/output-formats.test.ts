import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { holding } from "../../testkit/client/scripted-list.ts";
import {
  json,
  paymentWith,
  scriptedServer,
  silence,
  type Answer,
} from "../../testkit/client/scripted-server.ts";
import { createTemporaryHome } from "../../testkit/command/temporary-home.ts";
import {
  hasTerminals,
  runInTerminal,
  requireTerminals,
  noTerminals,
} from "../../testkit/command/in-terminal.ts";
import { createServiceEnv, parseError, runPayments } from "../../testkit/command/run-payments.ts";

const payment = paymentWith();
const create = ["create", "--amount", "1", "--currency", "eur", "--test-card", "visa"];
const refund = ["refund", payment.id, "--yes"];

describe.concurrent("-o json", () => {
  test.each(["csv", "ndjson"])("and -o %s contradict each other", async (format) => {
    const server = await scriptedServer(holding(20));
    const args = ["list", "--json", "-o", format];
    const ran = await runPayments(args, { env: createServiceEnv(server.url) });
    expect(ran.exitCode).toBe(2);
    expect(parseError(ran)["message"]).toContain("contradict");
    expect(server.requests).toEqual([]);
  });
});

describe.concurrent("an error", () => {
  test.each([
    ["-o", "csv"],
    ["-o", "table"],
    ["-o", "xml"],
    ["--", "--json"],
  ])("is in words with %s %s", async (...flags) => {
    const ran = await runPayments(["get", "pay_1", ...flags]);
    expect(ran.stdout).toBe("");
    expect(ran.stderr).toMatch(/^Error: /);
  });
});

/** Commands that print a note besides their data. */
const talkative: [string, string[], Answer, RegExp][] = [
  ["a list with further pages", ["list"], holding(20), /^There are older ones/],
  ["an empty list", ["list", "--status", "failed"], holding(0), /^No payments\.\n$/],
  ["a refund", refund, json(200, payment), /^Payment +pay_/],
  ["a live payment", [...create, "--mode", "live"], silence, /no money moves\.\n$/],
];

describe.concurrent.each(talkative)("%s", (_, args, answer, note) => {
  async function environment(): Promise<Record<string, string>> {
    if (args.includes("live")) return {};
    const server = await scriptedServer(answer);
    return createServiceEnv(server.url);
  }

  test.each(["json", "ndjson"])("prints no note beside %s", async (format) => {
    const ran = await runPayments([...args, "-o", format], { env: await environment() });
    expect(ran).toMatchObject({ stderr: "", exitCode: 0 });
  });

  test.each(["csv", "table"])("prints the note beside %s", async (format) => {
    const ran = await runPayments([...args, "-o", format], { env: await environment() });
    expect(ran.stderr).toMatch(note);
    expect(ran.exitCode).toBe(0);
  });

  test("prints no note beside JSON in a terminal either", async ({ skip }) => {
    skip(!hasTerminals, noTerminals);
    const stdoutTo = join(createTemporaryHome(), "stdout.txt");
    const env = await environment();
    const terminal = runInTerminal([...args, "--json"], { env, stdoutTo });
    expect(await terminal.exitCode).toBe(0);
    expect(terminal.screen()).toBe("");
  });
});

/** A list whose second page arrives after more than a second, so that progress appears. */
const late: Answer = async (...exchange) => {
  await delay(1_100);
  return holding(250)(...exchange);
};

/** Returns the screen of a slow list whose data goes to a file. */
async function readScreen(format: string): Promise<string> {
  const server = await scriptedServer(holding(250), late, holding(250));
  const stdoutTo = join(createTemporaryHome(), "stdout.txt");
  const args = ["list", "--all", "-o", format];
  const terminal = runInTerminal(args, { env: createServiceEnv(server.url), stdoutTo });
  expect(await terminal.exitCode).toBe(0);
  expect(readFileSync(stdoutTo, "utf8")).toContain("000000000250");
  return terminal.screen();
}

describe.concurrent("a slow list in a terminal", () => {
  requireTerminals();
  test("shows its progress, and removes it at the end", async () => {
    const screen = await readScreen("table");
    expect(screen).toContain("200 payments so far");
    expect(screen.endsWith("\r\u001B[K")).toBe(true);
  });

  test.each(["json", "ndjson"])("shows no progress beside %s", async (format) => {
    expect(await readScreen(format)).toBe("");
  });
});
