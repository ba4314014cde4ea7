import { describe, expect, test } from "vitest";
import { body, runningService } from "../client/running-service.ts";
import {
  drop,
  json,
  paymentWith,
  refusal,
  scriptedServer,
  silence,
  text,
  type Answer,
} from "../client/scripted-server.ts";
import { someKeys } from "../config/temporary-home.ts";
import { against, errorIn, runPayments } from "./run-payments.ts";

const service = runningService();
const create = ["create", "--amount", "4999", "--currency", "eur", "--test-card", "visa"];
const atOnce = { "retry-after": "0" };
const once = ["--max-retries", "0"];
const outcomeUnknown =
  "The outcome is unknown. Run the same command with --idempotency-key order-1001: nothing happens twice.";

describe.concurrent("a service that does not answer as it should", () => {
  test.each<[string, Answer, number, string, number | null]>([
    ["answers 429", refusal(429, "rate_limit_exceeded", atOnce), 7, "rate_limit_exceeded", 429],
    ["asks to wait for an hour", refusal(429, "x", { "retry-after": "3600" }), 7, "x", 429],
    ["answers 500", refusal(500, "internal_error", atOnce), 9, "internal_error", 500],
    ["answers 503", refusal(503, "service_unavailable", atOnce), 9, "service_unavailable", 503],
    ["drops the connection", drop, 9, "connection_failed", null],
    ["sends a redirect", text(302, "", { location: "/login" }), 9, "unexpected_answer", 302],
    ["sends a web page", text(200, "<html></html>"), 9, "unexpected_answer", 200],
    ["sends another object", json(200, { ok: true }), 9, "unexpected_answer", 200],
    ["answers 403", refusal(403, "forbidden"), 4, "forbidden", 403],
    ["answers 422", refusal(422, "code_of_tomorrow"), 2, "code_of_tomorrow", 422],
  ])("and %s: a write ends with its exit code", async (_, answer, exitCode, code, http_status) => {
    const server = await scriptedServer(answer);
    const args = [...create, "--json", "--max-retries", "1", "--idempotency-key", "order-1001"];
    const ran = await runPayments(args, { env: against(server.url) });
    expect(ran.exitCode).toBe(exitCode);
    const hint = exitCode === 9 ? outcomeUnknown : null;
    expect(errorIn(ran)).toMatchObject({ code, http_status, hint, idempotency_key: "order-1001" });
  });

  test("and is silent: the try ends after --request-timeout", async () => {
    const server = await scriptedServer(silence);
    const args = ["list", "--json", "--request-timeout", "200ms", ...once];
    const ran = await runPayments(args, { env: against(server.url) });
    expect(ran.exitCode).toBe(9);
    expect(errorIn(ran)["message"]).toBe("The service did not answer: no answer within 0.2 s.");
  });

  test("and recovers: nothing is said about it", async () => {
    const page = { object: "list", url: "/v1/payments", data: [paymentWith()], has_more: false };
    const server = await scriptedServer(refusal(500, "x", atOnce), drop, json(200, page));
    const ran = await runPayments(["list", "--json"], { env: against(server.url) });
    expect(ran).toMatchObject({ stderr: "", exitCode: 0 });
    expect(server.requests).toHaveLength(3);
  });

  test("and answers a test key with live data: exit 4, and what was written is named", async () => {
    const payment = paymentWith({ livemode: true });
    const server = await scriptedServer(json(201, payment));
    const env = against(server.url);
    const [asJson, asText] = await Promise.all([
      runPayments([...create, "--json"], { env }),
      runPayments([...create, "--wait"], { env }),
    ]);
    expect(asJson.exitCode).toBe(4);
    expect(errorIn(asJson)).toMatchObject({ code: "mode_mismatch", retryable: false });
    expect(errorIn(asJson)["message"]).toContain(payment.id);
    expect(asText).toMatchObject({ stdout: "", exitCode: 4 });
    expect(asText.stderr).toContain(payment.id);
  });

  test("and is not there: exit 9, in words", async () => {
    const env = against("http://127.0.0.1:1");
    const [write, read] = await Promise.all([
      runPayments([...create, ...once, "--idempotency-key", "order-1001"], { env }),
      runPayments(["list", ...once], { env }),
    ]);
    expect(write).toEqual({
      stdout: "",
      stderr: [
        "Error: The service did not answer: connect ECONNREFUSED 127.0.0.1:1.",
        `  hint: ${outcomeUnknown}`,
        "  idempotency key: order-1001\n",
      ].join("\n"),
      exitCode: 9,
    });
    expect(read.stderr).toContain("  hint: Check the base URL and the network.\n");
  });
});

describe.concurrent("a service that refuses", () => {
  test("an unknown key: exit 4", async () => {
    const ran = await runPayments(["list", "--json"], { env: against(service.url) });
    expect(ran.exitCode).toBe(4);
    expect(errorIn(ran)).toMatchObject({
      type: "authentication_error",
      code: "invalid_api_key",
      http_status: 401,
      hint: expect.stringContaining("payments login") as unknown,
    });
    expect(ran.stderr).not.toContain(someKeys.test);
  });

  test("an idempotency key used for another request: exit 6", async () => {
    await service.client().payments.create(body, { idempotencyKey: "used" });
    const env = against(service.url, service.keys.test);
    const ran = await runPayments([...create, "--json", "--idempotency-key", "used"], { env });
    expect(ran.exitCode).toBe(6);
    expect(errorIn(ran)).toMatchObject({ code: "idempotency_key_reused", http_status: 409 });
  });

  test("what is malformed: exit 2, with the parameter", async () => {
    const env = against(service.url, service.keys.test);
    const args = ["create", "--data", "-", "--json"];
    const ran = await runPayments(args, { env, stdin: '{"amount":0,"currency":"eur"}' });
    expect(ran.exitCode).toBe(2);
    expect(errorIn(ran)).toMatchObject({ http_status: 400, type: "invalid_request_error" });
    expect(["amount", "card"]).toContain(errorIn(ran)["param"]);
  });
});
