import { describe, expect, test } from "vitest";
import {
  drop,
  halfAndDrop,
  json,
  refusal,
  scriptedServer,
  text,
  type Answer,
} from "../../testkit/client/scripted-server.ts";
import { answerTo, run, type Call } from "../../testkit/command/every-call.ts";
import { against, errorIn, printed, runPayments } from "../../testkit/command/run-payments.ts";

const atOnce = { "retry-after": "0" };

describe.concurrent("a call that meets trouble every time is made again, --max-retries times:", () => {
  test.each<[what: string, answer: Answer, exitCode: number, calls: Call[]]>([
    ["HTTP 409, in use", refusal(409, "idempotency_key_in_use", atOnce), 6, ["create"]],
    ["HTTP 429", refusal(429, "rate_limit_exceeded", atOnce), 7, ["list", "refund"]],
    ["HTTP 500", refusal(500, "internal_error", atOnce), 9, ["get", "create"]],
    ["a proxy's page with HTTP 502", text(502, "<h1>Bad Gateway</h1>"), 9, ["list", "refund"]],
    ["a connection lost before the answer", drop, 9, ["get", "create"]],
    ["a connection lost in the middle of it", halfAndDrop, 9, ["list", "refund"]],
  ])("%s", async (_, answer, exitCode, calls) => {
    await Promise.all(
      calls.map(async (call) => {
        const ran = await run(call, answer, "--max-retries", "2", "--json");
        expect({ exitCode: ran.exitCode, tries: ran.tries }).toEqual({ exitCode, tries: 3 });
        expect(errorIn(ran)["retryable"]).toBe(true);
      }),
    );
  });
});

describe.concurrent("a call that succeeds in the end", () => {
  test("says nothing of what was before", async () => {
    const list = json(200, answerTo("list"));
    const server = await scriptedServer(refusal(500, "x", atOnce), drop, list);
    const ran = await runPayments(["list", "--json"], { env: against(server.url) });
    expect(printed(ran)).toEqual(answerTo("list"));
    expect(server.requests).toHaveLength(3);
  });

  test("was sent with the same key and body each time, which nobody had to think of", async () => {
    const server = await scriptedServer(drop, halfAndDrop, json(201, answerTo("create")));
    const args = ["create", "--amount", "1", "--currency", "eur", "--test-card", "visa", "--json"];
    printed(await runPayments(args, { env: against(server.url) }));
    expect(server.requests).toHaveLength(3);
    expect(new Set(server.requests.map((request) => request.body)).size).toBe(1);
    const keys = server.requests.map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toEqual(Array(3).fill(expect.stringMatching(/^[0-9a-f-]{36}$/)));
    expect(new Set(keys).size).toBe(1);
  });
});

test.concurrent("the key that nobody had to think of is named when the outcome is unknown", async () => {
  const server = await scriptedServer(drop);
  const args = ["create", "--amount", "1", "--currency", "eur", "--test-card", "visa", "--json"];
  const ran = await runPayments([...args, "--max-retries", "1"], { env: against(server.url) });
  const key = server.requests[0]?.headers["idempotency-key"];
  expect(errorIn(ran)).toMatchObject({
    idempotency_key: key,
    hint: `The outcome is unknown. Run the same command with --idempotency-key ${String(key)}: nothing happens twice.`,
  });
  expect(server.requests).toHaveLength(2);
});

// By itself no first try is made again later than after half a second.
describe.concurrent("Retry-After", () => {
  test.each<[call: Call, what: string, first: Answer]>([
    ["list", "HTTP 429", refusal(429, "rate_limit_exceeded", { "retry-after": "1" })],
    ["create", "a proxy's page with HTTP 503", text(503, "<h1>Soon</h1>", { "retry-after": "1" })],
  ])("is waited for by %s after %s", async (call, _, first) => {
    const { answer, waitedMs } = refusingOnce(call, first);
    const ran = await run(call, answer, "--json");
    expect({ exitCode: ran.exitCode, tries: ran.tries }).toEqual({ exitCode: 0, tries: 2 });
    expect(waitedMs()).toBeGreaterThanOrEqual(990);
  });

  test.each<Call>(["get", "refund"])("beyond 60 s is not waited for by %s", async (call) => {
    const answer = refusal(429, "rate_limit_exceeded", { "retry-after": "61" });
    const ran = await run(call, answer, "--json");
    expect({ exitCode: ran.exitCode, tries: ran.tries }).toEqual({ exitCode: 7, tries: 1 });
    expect(errorIn(ran)["retryable"]).toBe(true);
  });
});

/** Refuses once with the answer, and tells when each request came. */
function refusingOnce(call: Call, first: Answer) {
  const cameAtMs: number[] = [];
  const answer: Answer = (...exchange) => {
    cameAtMs.push(performance.now());
    return (cameAtMs.length === 1 ? first : json(200, answerTo(call)))(...exchange);
  };
  return { answer, waitedMs: () => (cameAtMs[1] ?? 0) - (cameAtMs[0] ?? 0) };
}
