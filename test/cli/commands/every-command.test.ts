import { describe, expect, test } from "vitest";
import { drop, json, refusal, scriptedServer } from "../../testkit/client/scripted-server.ts";
import { commands } from "../../testkit/command/built-commands.ts";
import { answerLast, sendingCommands } from "../../testkit/command/sending-commands.ts";
import { createServiceEnv, parseError, runPayments } from "../../testkit/command/run-payments.ts";
import { someKeys } from "../../testkit/command/temporary-home.ts";

// Behaviour that all commands share; each command's own test has the rest.

const all = commands.map((command) => [command.words.join(" "), command] as const);
const sending = Object.entries(sendingCommands);
const printing = sending.filter(([, { response }]) => response !== undefined);
const writing = sending.filter(([, { isWrite }]) => isWrite);

describe.concurrent("every command", () => {
  test.each(all)("has help: payments %s", async (_, { words, summary }) => {
    const ran = await runPayments([...words, "--help"]);
    expect(ran).toMatchObject({ stderr: "", exitCode: 0 });
    expect(ran.stdout.replaceAll(/\s+/g, " ")).toContain(summary);
    expect(ran.stdout).toContain(`\nUSAGE\n  payments ${words.join(" ")}`);
  });

  test.each(all)("refuses an unknown flag, in words and as JSON: payments %s", async (_, each) => {
    const args = [...each.words, "--nonsense", someKeys.live];
    const inWords = await runPayments(args);
    expect(inWords).toMatchObject({ stdout: "", exitCode: 2 });
    expect(inWords.stderr).toMatch(/^Error: /);
    const asJson = await runPayments([...args, "-o", "json"]);
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
      for (const format of [["--json"], ["--output=json"]]) {
        const ran = await runPayments([...command.args, ...format], {
          env: createServiceEnv(server.url),
        });
        const { stdout, ...rest } = ran;
        expect(rest).toEqual({ stderr: "", exitCode: 0 });
        const { data, ...printed } = JSON.parse(stdout) as { data?: unknown };
        const { data: expected, ...others } = later as { data?: unknown };
        expect([printed, data]).toEqual([others, expected]);
      }
    },
  );

  test.each(sending.filter(([name]) => name !== "login"))(
    "exits with the code of a refusal: %s",
    async (name, command) => {
      const refusals: [status: number, code: string, exitCode: number][] = [
        [400, "parameter_invalid", 2],
        [401, "invalid_api_key", 4],
        [404, "resource_missing", 5],
        [409, "idempotency_key_reused", 6],
        [429, "rate_limit_exceeded", 7],
        [503, "service_unavailable", 9],
      ];
      for (const [status, code, exitCode] of refusals) {
        if (name === "whoami" && status === 401) continue; // its own answer: see whoami.test.ts
        const server = await scriptedServer(answerLast(command, refusal(status, code)));
        const args = [...command.args, "--json", "--max-retries", "0"];
        const ran = await runPayments(args, { env: createServiceEnv(server.url) });
        expect(ran.exitCode).toBe(exitCode);
        expect(parseError(ran)).toMatchObject({ code, http_status: status });
      }
    },
  );
});

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
