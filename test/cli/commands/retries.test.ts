import { describe, expect, test } from "vitest";
import { drop, refusal, text, type Answer } from "../../testkit/client/scripted-server.ts";
import { runCall, type Call } from "../../testkit/command/every-call.ts";
import { parseError } from "../../testkit/command/run-payments.ts";

const atOnce = { "retry-after": "0" };

describe.concurrent("a call that always fails is retried --max-retries times:", () => {
  test.each<[what: string, answer: Answer, exitCode: number, calls: Call[]]>([
    ["HTTP 409, in use", refusal(409, "idempotency_key_in_use", atOnce), 6, ["create"]],
    ["HTTP 429", refusal(429, "rate_limit_exceeded", atOnce), 7, ["list", "refund"]],
    ["a proxy's page with HTTP 502", text(502, "<h1>Bad Gateway</h1>"), 9, ["list", "refund"]],
    ["a connection lost before the response", drop, 9, ["get", "create"]],
  ])("%s", async (_, answer, exitCode, calls) => {
    await Promise.all(
      calls.map(async (call) => {
        const ran = await runCall(call, answer, "--max-retries", "2", "--json");
        expect({ exitCode: ran.exitCode, tries: ran.tries }).toEqual({ exitCode, tries: 3 });
        expect(parseError(ran)["retryable"]).toBe(true);
      }),
    );
  });
});
