import { describe, expect, test } from "vitest";
import { paymentFields } from "../../../src/contract/fast-checks.ts";
import { holding, paymentNumbers } from "../../testkit/client/scripted-list.ts";
import {
  drop,
  refusal,
  scriptedServer,
  type Answer,
} from "../../testkit/client/scripted-server.ts";
import { hasTerminals, runInTerminal, noTerminals } from "../../testkit/command/in-terminal.ts";
import {
  createServiceEnv,
  parseError,
  runPayments,
  type Ran,
} from "../../testkit/command/run-payments.ts";

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
    expect(ran.stdout).toBe(firstPage.map((payment) => `${JSON.stringify(payment)}\n`).join(""));
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
