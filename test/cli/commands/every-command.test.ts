import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Parser } from "@oclif/core";
import type { Command } from "@oclif/core/command";
import { accountWith, paymentWith } from "../../testkit/api-objects.ts";
import {
  type Answer,
  drop,
  json,
  noHttp,
  refusal,
  scriptedServer,
  text,
} from "../../testkit/client/scripted-server.ts";
import { commands } from "../../testkit/command/built-commands.ts";
import { answerLast, sendingCommands } from "../../testkit/command/sending-commands.ts";
import { createServiceEnv, parseError, runPayments } from "../../testkit/command/run-payments.ts";
import { someKeys, createTemporaryHome, temporaryRoot } from "../../testkit/temporary.ts";
import { findCommand } from "../../../src/cli/program/program.ts";
import { rootExamples } from "../../../src/cli/help/show-help.ts";

// Behaviour that all commands share; each command's own test has the rest.

const all = commands.map((command) => [command.words.join(" "), command] as const);
const sending = Object.entries(sendingCommands);
const printing = sending.filter(([, { response }]) => response !== undefined);
const writing = sending.filter(([, { isWrite }]) => isWrite);

describe.concurrent("every command", () => {
  test.each(all)("has help: payments %s", async (_, { words, summary }) => {
    const ran = await runPayments([...words, "--help"], { startsNothing: true });
    expect(ran).toMatchObject({ stderr: "", exitCode: 0 });
    expect(ran.stdout.replaceAll(/\s+/g, " ")).toContain(summary);
    expect(ran.stdout).toContain(`\nUSAGE\n  payments ${words.join(" ")}`);
  });

  test.each(all)("refuses an unknown flag, in words and as JSON: payments %s", async (_, each) => {
    const args = [...each.words, "--nonsense", someKeys.live];
    const inWords = await runPayments(args, { startsNothing: true });
    expect(inWords).toMatchObject({ stdout: "", exitCode: 2 });
    expect(inWords.stderr).toMatch(/^Error: /);
    const asJson = await runPayments([...args, "-o", "json"], { startsNothing: true });
    expect(asJson.exitCode).toBe(2);
    expect(parseError(asJson)).toMatchObject({
      type: "cli_error",
      code: "usage",
      retryable: false,
    });
    expect(inWords.stderr + asJson.stderr).not.toContain(someKeys.live);
  });
});

describe.concurrent("every command that sends a key", () => {
  test("is in the table of sending commands", () => {
    const known = commands.filter(({ flags }) => flags.some(({ name }) => name === "base-url"));
    expect(Object.keys(sendingCommands).toSorted()).toEqual(
      known.map(({ words }) => words.join(" ")).toSorted(),
    );
  });

  test.each(printing)(
    "prints exactly the response as JSON, unknown fields too: %s",
    async (...row) => {
      const [, command] = row;
      const later = { ...command.response, added_later: { a: [1, 2.5, null] } };
      const server = await scriptedServer(answerLast(command, json(200, later)));
      const ran = await runPayments([...command.args, "--json"], {
        env: createServiceEnv(server.url),
      });
      const { stdout, ...rest } = ran;
      expect(rest).toEqual({ stderr: "", exitCode: 0 });
      const { data, ...printed } = JSON.parse(stdout) as { data?: unknown };
      const { data: expected, ...others } = later as { data?: unknown };
      expect([printed, data]).toEqual([others, expected]);
    },
  );

  const page = "<html><h1>Something else</h1></html>";
  const failures: [what: Answer, exitCode: number, error: object][] = [
    [refusal(400, "parameter_invalid"), 2, { code: "parameter_invalid", http_status: 400 }],
    [refusal(401, "invalid_api_key"), 4, { code: "invalid_api_key", http_status: 401 }],
    [refusal(404, "resource_missing"), 5, { code: "resource_missing", http_status: 404 }],
    [refusal(409, "idempotency_key_reused"), 6, { code: "idempotency_key_reused" }],
    [refusal(429, "rate_limit_exceeded"), 7, { code: "rate_limit_exceeded", retryable: true }],
    [refusal(503, "service_unavailable"), 9, { code: "service_unavailable", retryable: true }],
    [text(502, page), 9, { code: "unexpected_answer", http_status: 502, retryable: true }],
    [text(302, "", { location: "/login" }), 9, { code: "unexpected_answer", http_status: 302 }],
    [text(200, page), 9, { code: "unexpected_answer", http_status: 200, retryable: false }],
    [drop, 9, { code: "connection_failed", http_status: null, retryable: true }],
    [noHttp, 9, { code: "connection_failed", http_status: null, retryable: true }],
  ];
  const someFailures = [failures[1], failures[9]].filter((each) => each !== undefined);
  test.each(sending.filter(([name, { isDiagnosis }]) => name !== "login" && !isDiagnosis))(
    "ends as its response says, without data: %s",
    async (name, command) => {
      // All have the rendering of an error in common, which one read and one write show for every error.
      const isExample = name === "list" || name === "create";
      for (const [answer, exitCode, error] of isExample ? failures : someFailures) {
        if (name === "whoami" && exitCode === 4) continue; // its own answer: see whoami.test.ts
        const server = await scriptedServer(answerLast(command, answer));
        const args = [...command.args, "--json", "--max-retries", "0"];
        const ran = await runPayments(args, { env: createServiceEnv(server.url) });
        expect(ran.exitCode).toBe(exitCode);
        expect(parseError(ran)).toMatchObject(error);
      }
    },
  );

  test.each([0, 2])("is retried --max-retries %d times", async (retries) => {
    const server = await scriptedServer(refusal(503, "x", { "retry-after": "0" }));
    const args = ["list", "--max-retries", String(retries)];
    await runPayments(args, { env: createServiceEnv(server.url) });
    expect(server.requests).toHaveLength(retries + 1);
  });

  test.each(["list", "get", "create", "refund", "whoami"])(
    "prints no data of the other mode, and names what it has written: exit 4, %s",
    async (name) => {
      const command = sendingCommands[name]!;
      const { data, ...other } = { data: undefined, ...(command.response ?? accountWith()) };
      const answer = data ? { ...other, data: (data as object[]).map(live) } : live(other);
      const server = await scriptedServer(answerLast(command, json(200, answer)));
      const args = [...command.args, "--json"];
      const ran = await runPayments(args, { env: createServiceEnv(server.url) });
      expect(ran.exitCode).toBe(4);
      const written = command.isWrite ? ` (${paymentWith().id})` : "";
      expect(parseError(ran)).toMatchObject({
        code: "mode_mismatch",
        retryable: false,
        message: `The service answered a test key with live data${written}.`,
      });
    },
  );

  test("refunds no payment of the other mode", async () => {
    const server = await scriptedServer(json(200, paymentWith({ livemode: true })));
    const env = createServiceEnv(server.url);
    expect((await runPayments(sendingCommands["refund"]!.args, { env })).exitCode).toBe(4);
    expect(server.requests.map(({ method }) => method)).toEqual(["GET"]);
  });
});

const live = (object: object) => ({ ...object, livemode: true });

describe.concurrent("every write", () => {
  test.each(writing)("is sent with the given idempotency key: %s", async (_, command) => {
    const server = await scriptedServer(answerLast(command, json(200, command.response)));
    const args = [...command.args, "--idempotency-key"];
    const env = createServiceEnv(server.url);
    expect((await runPayments([...args, "a b", "--json"], { env })).exitCode).toBe(2);
    expect(server.requests).toEqual([]);
    expect((await runPayments([...args, "k-1", "--json"], { env })).exitCode).toBe(0);
    expect(server.requests.at(-1)?.headers["idempotency-key"]).toBe("k-1");
  });

  test.each(writing)(
    "prints the generated idempotency key if the outcome is unknown: %s",
    async (...row) => {
      const [, command] = row;
      const server = await scriptedServer(answerLast(command, drop));
      const args = [...command.args, "--max-retries", "0", "--json"];
      const ran = await runPayments(args, { env: createServiceEnv(server.url) });
      expect(ran.exitCode).toBe(9);
      const key = String(server.requests.at(-1)?.headers["idempotency-key"]);
      expect(key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/);
      expect(parseError(ran)).toMatchObject({
        idempotency_key: key,
        hint: `The outcome is unknown. Run the same command with --idempotency-key ${key}: nothing happens twice.`,
      });
    },
  );
});

const examples = [...rootExamples, ...commands.flatMap((described) => described.examples)];

/** The words of an example after the program's name, without pipes and files. */
function toArgv(example: string): string[] {
  const [typed = ""] = example.split(/ [|<>] /);
  const words = typed.match(/"[^"]*"|\S+/g) ?? [];
  return words.slice(1).map((word) => word.replaceAll('"', ""));
}

test.each(commands.map((command) => [command.words.join(" "), command] as const))(
  "every command has a summary and an example: %s",
  (_, { summary, examples: own, words }) => {
    expect(summary).toMatch(/^[A-Z].*\.$/);
    expect(own.length).toBeGreaterThan(0);
    for (const example of own) expect(example).toContain(["payments", ...words].join(" "));
  },
);

test.each(examples)("the parser accepts the example %s", async (example) => {
  const named = await findCommand(toArgv(example));
  const found = { ...(named?.Command as unknown as Command.Class) };
  const input = { ...found, flags: { ...found.baseFlags, ...found.flags } };
  await expect(Parser.parse(named?.rest ?? [], input)).resolves.toBeDefined();
});

/** The examples that need no earlier payment or key, no other service and no user at a prompt. */
const harmless = examples.filter(
  (example) =>
    /^payments (?:create|list(?!en)|test-cards|trigger|whoami|mode|logout|migrate|completion|licenses|help|keys create|keys list|keys$|accounts create|accounts list|accounts$|operators list|operators$|events list|events$|webhooks create|webhooks list|webhooks$)/.test(
      example,
    ) && !/--(?:hosted|context)/.test(example),
);

/** Examples that would change the outcome of others in the same home. */
const changesOthers = /^payments (?:mode|logout|accounts create)|--idempotency-key/;
const sharedHome = createTemporaryHome();

test.concurrent.each(harmless.filter((example) => !example.includes("--starting-after")))(
  "the example %s works",
  async (example) => {
    const card = JSON.stringify({
      number: "4242424242424242",
      exp_month: 12,
      exp_year: 2040,
      cvc: "123",
    });
    const data = `{"amount":1,"currency":"eur","card":${card}}`;
    writeFileSync(join(temporaryRoot, "payment.json"), data);
    const home = changesOthers.test(example) ? createTemporaryHome() : sharedHome;
    const ran = await runPayments(toArgv(example), { home, stdin: card });
    const outcome = example.includes("--wait") ? 3 : 0;
    expect(ran).toMatchObject({ exitCode: outcome });
  },
);
