import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Payment } from "../../src/contract/payment.ts";
import {
  holding,
  json,
  paymentNumbers,
  scriptedServer,
} from "../testkit/client/scripted-server.ts";
import { paymentWith } from "../testkit/api-objects.ts";
import {
  createServiceEnv,
  parseList,
  runInShell,
  runPayments,
  waitForEnd,
  startPayments,
  startShell,
  type Ran,
} from "../testkit/command/run-payments.ts";
import { createTemporaryHome } from "../testkit/temporary.ts";

/** Long descriptions make the list three megabytes in every format. */
const count = 1_000;
const description = "A book. ".repeat(400);
const ids = paymentNumbers(1, count).map(({ id }) => id);

async function listThrough(reader: string, format: string): Promise<Ran> {
  const server = await scriptedServer(holding(count, { description }));
  const line = `payments list --all -o ${format} | ${reader}`;
  const ran = await runInShell(line, { env: createServiceEnv(server.url) });
  expect(ran).toMatchObject({ stderr: "", exitCode: 0 });
  expect(ran.stdout.length).toBeGreaterThan(3_000_000);
  return ran;
}

describe.concurrent("a list of three megabytes loses nothing to a reader that pauses", () => {
  // Node, oclif and HTTP each have time limits of 5 or 10 s, which must not end the command.
  test("for 12 s, as JSON", async () => {
    const { stdout } = await listThrough("(sleep 12; cat)", "json");
    const list = JSON.parse(stdout) as { data: Payment[]; has_more: boolean };
    expect(list.data.map(({ id }) => id)).toEqual(ids);
    expect(list.has_more).toBe(false);
  });

  test("at the start and in the middle, as JSON lines", async () => {
    const { stdout } = await listThrough("(sleep 1; head -c 1000000; sleep 1; cat)", "ndjson");
    const lines = stdout.trimEnd().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as Payment).id)).toEqual(ids);
  });

  test.each([
    ["CSV", "csv", /^id,/],
    ["a table", "table", /^ID /],
  ])("at the start, as %s", async (_, format, heading) => {
    const { stdout } = await listThrough("(sleep 1; cat)", format);
    const [first, ...lines] = stdout.trimEnd().split("\n");
    expect(first).toMatch(heading);
    expect(lines.map((line) => line.split(/[ ,]/, 1)[0])).toEqual(ids);
    expect(lines.filter((line) => !line.includes(description.trimEnd()))).toEqual([]);
  });
});

test("a List in JSON is written page by page: a page arrives before the next one is answered", async () => {
  const pages = holding(150);
  const read = Promise.withResolvers<void>();
  const server = await scriptedServer(pages, async (...exchange) => {
    await read.promise;
    return pages(...exchange);
  });
  const child = startPayments(["list", "--all", "--json"], { env: createServiceEnv(server.url) });
  child.stdout.once("data", () => read.resolve());
  const { stdout, stderr, exitCode } = await waitForEnd(child);
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  expect(JSON.parse(stdout)).toEqual({
    object: "list",
    url: "/v1/payments",
    data: paymentNumbers(1, 150),
    has_more: false,
  });
});

describe.concurrent("a reader that has seen enough ends the command quietly", () => {
  test("after the heading of a CSV, in two requests", async () => {
    // Several pages of CSV fit into a pipe, so the second response waits until the reader has its line.
    const pages = holding(Number.POSITIVE_INFINITY);
    const read = Promise.withResolvers<void>();
    const server = await scriptedServer(pages, async (...exchange) => {
      await read.promise;
      return pages(...exchange);
    });
    const shell = startShell("payments list --all -o csv | head -1", {
      env: createServiceEnv(server.url),
    });
    shell.stdout.once("data", () => read.resolve());
    const { stdout, stderr, exitCode } = await waitForEnd(shell);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(stdout).toMatch(/^id,object,amount,[^\n]+\n$/);
    expect(server.requests.length).toBeLessThanOrEqual(2);
  });

  test("after the beginning of a List in JSON, in two requests", async () => {
    const server = await scriptedServer(holding(Number.POSITIVE_INFINITY));
    const line = "payments list --all --json | head -c 100";
    const { stdout, stderr, exitCode } = await runInShell(line, {
      env: createServiceEnv(server.url),
    });
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(stdout).toMatch(/^\{"object":"list",/);
    expect(stdout).toHaveLength(100);
    expect(server.requests.length).toBeLessThanOrEqual(2);
  });

  test.each([
    ["the help", "payments --help"],
    ["a table", "payments test-cards"],
    ["a whole list as JSON", "payments list --limit 500 --json"],
  ])("after the beginning of %s", async (_, command) => {
    const server = await scriptedServer(holding(500));
    const ran = await runInShell(`${command} | head -c 20`, { env: createServiceEnv(server.url) });
    expect(ran).toEqual({
      stdout: expect.stringMatching(/^.{20}$/s) as unknown,
      stderr: "",
      exitCode: 0,
    });
  });

  test.each(["payments --help", "payments mode"])(
    "before %s has written anything",
    async (command) => {
      expect(await runInShell(`${command} | true`)).toEqual({
        stdout: "",
        stderr: "",
        exitCode: 0,
      });
    },
  );
});

describe.concurrent("a closed pipe hides no verdict:", () => {
  const differing = `id,amount,currency,status\n${paymentWith().id},1,eur,succeeded\n`;

  test.each<[what: string, command: string, exitCode: number]>([
    ["an outcome", `payments get ${paymentWith().id} --expect failed`, 3],
    ["books that differ", `printf '${differing}' | payments reconcile --report - --mode test`, 3],
    ["checks that fail", "payments doctor --database sqlite:./none.db --json", 9],
    ["an adapter that does not answer", "payments network check http://127.0.0.1:1", 9],
  ])("%s", async (_, command, exitCode) => {
    const list = { object: "list", url: "/v1/payments", data: [paymentWith()], has_more: false };
    const server = await scriptedServer((response, request) =>
      json(200, request.path.includes("?") ? list : paymentWith())(response, request),
    );
    const line = `{ ${command}; echo "exit $?" >&2; } | true`;
    const env = { ...createServiceEnv(server.url), PAYMENTS_NETWORK_SECRET: "x".repeat(32) };
    const { stderr } = await runInShell(line, { env });
    expect(stderr.match(/exit (\d+)\n$/)?.[1]).toBe(String(exitCode));
  });

  test("steps that go wrong, which are made up to there", async () => {
    const home = createTemporaryHome();
    const file = join(home, "steps.json");
    const body = { amount: 4999, currency: "eur", test_card: "visa" };
    const create = { create: body, expect: "succeeded" };
    const steps = [create, create, { ...create, expect: "failed" }];
    writeFileSync(file, JSON.stringify({ fixtures: steps }));
    const line = `{ payments fixtures ${file}; echo "exit $?" >&2; } | true`;
    const { stderr } = await runInShell(line, { home });
    expect(stderr).toMatch(/exit 3\n$/);
    const listed = await runPayments(["list", "--json"], { home });
    expect(parseList(listed).data).toHaveLength(3);
  });
});
