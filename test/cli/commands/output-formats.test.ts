import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import {
  type Answer,
  drop,
  holding,
  json,
  paymentNumbers,
  refusal,
  scriptedServer,
  silence,
} from "../../testkit/client/scripted-server.ts";
import { listWith, paymentWith } from "../../testkit/api-objects.ts";
import { createTemporaryHome } from "../../testkit/temporary.ts";
import {
  hasTerminals,
  runInTerminal,
  requireTerminals,
  noTerminals,
} from "../../testkit/command/in-terminal.ts";
import {
  createServiceEnv,
  parseError,
  runPayments,
  type Ran,
} from "../../testkit/command/run-payments.ts";
import { paymentFields } from "../../../src/contract/responses.ts";

const payment = paymentWith();
const create = ["create", "--amount", "1", "--currency", "eur", "--test-card", "visa"];
const refund = ["refund", payment.id, "--yes"];

test.concurrent.each([
  ["-o", "csv"],
  ["-o", "table"],
  ["-o", "xml"],
  ["--", "--json"],
])("an error is in words with %s %s", async (...flags) => {
  const ran = await runPayments(["get", "pay_1", ...flags]);
  expect(ran.stdout).toBe("");
  expect(ran.stderr).toMatch(/^Error: /);
});

/** Commands that print a note besides their data. */
const talkative: [string, string[], Answer, RegExp][] = [
  ["a list with further pages", ["list"], holding(20), /^There are older ones/],
  [
    "an empty list",
    ["list", "--status", "failed"],
    holding(0),
    /^No payments found by --status failed in test mode, at http:\/\/[\d.:]+\.\n$/,
  ],
  ["a refund", refund, json(200, payment), /^Payment +pay_/],
  ["a live payment", [...create, "--mode", "live"], silence, /no money moves\.\n$/],
];

describe.concurrent.each(talkative)("%s", (_, args, answer, note) => {
  async function environment(): Promise<Record<string, string>> {
    if (args.includes("live")) return {};
    const server = await scriptedServer(answer);
    return createServiceEnv(server.url);
  }

  const isQuiet = args.includes("--yes"); // nobody is there to read a note beside data
  const quiet = ["json", "ndjson", ...(isQuiet ? ["csv"] : [])];
  test.each(quiet)("prints no note beside %s", async (format) => {
    const ran = await runPayments([...args, "-o", format], { env: await environment() });
    expect(ran).toMatchObject({ stderr: "", exitCode: 0 });
  });

  test.each(isQuiet ? ["table"] : ["csv", "table"])("prints the note beside %s", async (format) => {
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
    expect(screen).toMatch(/(?:100|200|250) payments so far/); // a busy machine may show a later page alone
    expect(screen.endsWith("\r\u001B[K")).toBe(true);
  });

  test("shows no progress beside JSON lines", async () => {
    expect(await readScreen("ndjson")).toBe("");
  });
});

const withMetadata = paymentWith({ metadata: { order_id: "1001", "a.b": "c, d" } });
const page = listWith("/v1/payments", withMetadata);
const fields = "amount,metadata.order_id,card.last4,metadata.a.b";
const picked = {
  amount: 4999,
  metadata: { order_id: "1001", "a.b": "c, d" },
  card: { last4: "4242" },
};
const csv = `${fields}\n4999,1001,4242,"c, d"\n`;

test.concurrent.each<[args: string[], format: string, stdout: string]>([
  [["list"], "json", `${JSON.stringify({ ...page, data: [picked] })}\n`],
  [["list"], "ndjson", `${JSON.stringify(picked)}\n`],
  [["list"], "csv", csv],
  [
    ["list"],
    "table",
    "   AMOUNT  METADATA.ORDER_ID  CARD.LAST4  METADATA.A.B\n49.99 EUR  1001               4242        c, d\n",
  ],
  [["get", withMetadata.id], "json", `${JSON.stringify(picked)}\n`],
  [["get", withMetadata.id], "ndjson", `${JSON.stringify(picked)}\n`],
  [["get", withMetadata.id], "csv", csv],
  [
    ["get", withMetadata.id],
    "table",
    "amount             49.99 EUR\nmetadata.order_id  1001\ncard.last4         4242\nmetadata.a.b       c, d\n",
  ],
])(
  "payments %j --fields -o %s prints only those fields, in their order",
  async (args, format, stdout) => {
    const server = await scriptedServer(json(200, args[0] === "list" ? page : withMetadata));
    const env = createServiceEnv(server.url);
    const ran = await runPayments([...args, "--fields", fields, "-o", format], { env });
    expect(ran).toEqual({ stdout, stderr: "", exitCode: 0 });
  },
);

const firstPage = paymentNumbers(1, 100);

/** A list whose second page never comes. */
async function list(format: string, failure: Answer): Promise<Ran> {
  const server = await scriptedServer(holding(250), failure);
  const args = ["list", "--all", "-o", format, "--max-retries", "0"];
  return await runPayments(args, { env: createServiceEnv(server.url) });
}

describe.concurrent.each<[string, Answer, number, string]>([
  ["an error of the service", refusal(500, "internal_error"), 9, "internal_error"],
  ["too many requests", refusal(429, "rate_limit_exceeded"), 7, "rate_limit_exceeded"],
  ["a lost connection", drop, 9, "connection_failed"],
])("after the first page comes %s:", (_, failure, exitCode, code) => {
  test("JSON lines are printed up to the failure", async () => {
    const ran = await list("ndjson", failure);
    expect(ran.stdout).toBe(firstPage.map((each) => `${JSON.stringify(each)}\n`).join(""));
    expect(ran.exitCode).toBe(exitCode);
    expect(parseError({ ...ran, stdout: "" })).toMatchObject({ code });
  });

  test("lines of CSV are printed up to the failure, below their heading", async () => {
    const { stdout, stderr, ...ended } = await list("csv", failure);
    const [heading, ...lines] = stdout.trimEnd().split("\n");
    expect(heading).toBe(paymentFields.join(","));
    expect(lines.map((line) => line.split(",", 1)[0])).toEqual(firstPage.map(({ id }) => id));
    expect(ended).toEqual({ exitCode });
    expect(stderr).toMatch(/^Error: .+\n(?: {2}\w.*\n)+$/);
  });

  test("the List in JSON is printed up to the failure, and is invalid JSON", async () => {
    const ran = await list("json", failure);
    expect(ran.exitCode).toBe(exitCode);
    expect(parseError({ ...ran, stdout: "" })).toMatchObject({ code });
    const whole = JSON.stringify({ object: "list", url: "/v1/payments", data: firstPage });
    expect(ran.stdout).toBe(whole.slice(0, -"]}".length));
    expect(() => JSON.parse(ran.stdout) as unknown).toThrow(SyntaxError);
  });

  test("a table is not printed at all", async () => {
    const { stderr, ...ended } = await list("table", failure);
    expect(ended).toEqual({ stdout: "", exitCode });
    expect(stderr).toMatch(/^Error: .+\n(?: {2}\w.*\n)+$/);
  });
});

test.concurrent.each(["json", "ndjson", "csv"])(
  "a failure of the first page prints nothing on standard output as %s",
  async (format) => {
    const server = await scriptedServer(refusal(404, "endpoint_not_found"));
    const ran = await runPayments(["list", "-o", format], { env: createServiceEnv(server.url) });
    expect(ran).toMatchObject({ stdout: "", exitCode: 5 });
  },
);

test("in a terminal the error follows on its own line", async ({ skip }) => {
  skip(!hasTerminals, noTerminals);
  const server = await scriptedServer(holding(250), refusal(404, "endpoint_not_found"));
  const args = ["list", "--all", "--json"];
  const terminal = runInTerminal(args, { env: createServiceEnv(server.url) });
  expect(await terminal.exitCode).toBe(5);
  const lines = terminal.screen().trimEnd().split("\r\n");
  expect(lines.slice(-3)).toEqual([
    '      "livemode": false',
    "    }",
    expect.stringMatching(/^\{"error":/),
  ]);
});
