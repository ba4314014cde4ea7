import { Chalk } from "chalk";
import { describe, expect, test } from "vitest";
import {
  toProblemJson,
  formatProblem,
  type Problem,
} from "../../../src/cli/output/problem-text.ts";

const plain = new Chalk({ level: 0 });
const uuid = "0199c5a8-7f3e-7abc-9def-0123456789ab";
const problem: Problem = {
  type: "api_error",
  code: "internal_error",
  message: "It went wrong.",
  param: null,
  decline_code: null,
  doc_url: "https://payments.example.com/docs/errors#internal_error",
  request_id: `req_${uuid}`,
  http_status: 500,
  retryable: true,
  idempotency_key: uuid,
  hint: "Try again.",
};
const ofTheCommand: Problem = {
  ...problem,
  type: "cli_error",
  code: "usage",
  doc_url: null,
  request_id: null,
  http_status: null,
  retryable: false,
  idempotency_key: null,
  hint: null,
};

describe("an error as text", () => {
  test("shows what happened, what to do, and where to read on", () => {
    expect(formatProblem({ ...problem, param: "amount" }, plain)).toBe(
      [
        "Error: It went wrong.",
        "  hint: Try again.",
        "  code: internal_error",
        "  param: amount",
        `  request: req_${uuid}`,
        `  idempotency key: ${uuid}`,
        "  see: https://payments.example.com/docs/errors#internal_error",
      ].join("\n"),
    );
  });

  test("names the logged request where there is no better hint", () => {
    const logged = { isLogged: true };
    const name = `payments logs get req_${uuid}`;
    expect(formatProblem({ ...problem, hint: null }, plain, logged)).toContain(
      `\n  hint: ${name}\n`,
    );
    const target = " --mode live";
    expect(formatProblem({ ...problem, hint: null }, plain, { ...logged, target })).toContain(
      `\n  hint: ${name} --mode live\n`,
    );
    expect(formatProblem({ ...problem, hint: null }, plain)).not.toContain(name);
    expect(formatProblem(problem, plain, logged)).not.toContain(name);
    expect(formatProblem(ofTheCommand, plain, logged)).toBe("Error: It went wrong.");
    const hostile = { ...problem, hint: null, request_id: "req_1; reboot" };
    expect(formatProblem(hostile, plain, logged)).not.toContain("payments logs get");
  });

  test("leaves out missing values", () => {
    expect(formatProblem(ofTheCommand, plain)).toBe("Error: It went wrong.");
  });

  test("shows the idempotency key only if a retry can help", () => {
    expect(formatProblem({ ...problem, retryable: false }, plain)).not.toContain("idempotency key");
  });

  test("cannot be forged by line breaks that a service sends", () => {
    const hostile = { ...problem, message: "a\n\u001B[2Jb", doc_url: "\u009B31m", hint: "\u202E" };
    const text = formatProblem(hostile, plain);
    expect(text.split("\n")).toHaveLength(6);
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202E]/u);
  });
});

describe("an error for scripts", () => {
  test("is one line with every field, null where it does not apply", () => {
    const line = toProblemJson(ofTheCommand);
    expect(line).not.toContain("\n");
    expect(JSON.parse(line)).toEqual({ error: ofTheCommand });
    expect(JSON.parse(toProblemJson(problem))).toEqual({ error: problem });
  });

  test("has control characters escaped", () => {
    expect(toProblemJson({ ...problem, message: "a\n\u009Bb" })).not.toMatch(/\p{Cc}/u);
  });
});

test.each([
  ["a key", `svc_live_sk_${"a1B2".repeat(10)}abc`],
  ["a part of a key", "svc_test_sk_abc"],
  ["a card number", "4242424242424242"],
  ["a card number in groups", "4242 4242-4242 4242"],
])("neither form prints %s typed in the wrong place", (_, secret) => {
  const hidden = { ...problem, message: `No ${secret}.`, param: secret, hint: `Not ${secret}.` };
  expect(formatProblem(hidden, plain)).not.toContain(secret);
  expect(toProblemJson(hidden)).not.toContain(secret);
  expect(formatProblem(hidden, plain)).toContain("…");
});

test.each(["type", "code", "param", "decline_code", "doc_url", "request_id"] as const)(
  "neither form prints a key or a card number that a service sends back as its %s",
  (field) => {
    const secrets = [`svc_live_sk_${"a1B2".repeat(10)}abc`, "4242424242424242"];
    for (const secret of secrets) {
      const hidden = { ...problem, [field]: secret };
      expect(formatProblem(hidden, plain)).not.toContain(secret);
      expect(toProblemJson(hidden)).not.toContain(secret);
    }
  },
);

describe.each([
  ["in words", (some: Problem) => formatProblem(some, plain)],
  ["as JSON", toProblemJson],
])("an idempotency key %s", (_, rendered) => {
  test.each(["order-20261121140339", "4242424242424242", "5c9b0d5e-1f0e-4c39-9d1c-0b1f1a2b3c4d"])(
    "stays as it is, since a retry needs exactly this key: %s",
    (key) => {
      const hint = `Run the same command with --idempotency-key ${key}.`;
      const text = rendered({ ...problem, hint, idempotency_key: key });
      expect(text.split(key)).toHaveLength(3);
    },
  );

  test("does not unmask the text beside it", () => {
    const message = "4000000000000002 order-1";
    const text = rendered({ ...problem, message, idempotency_key: "order-1" });
    expect(text).not.toContain("4000000000000002");
  });

  test("of one digit does not break up a masked number", () => {
    const secret = "4000070000000005";
    const hint = `Run the same command with --idempotency-key 7: not with ${secret}.`;
    const text = rendered({
      ...problem,
      message: secret,
      param: secret,
      hint,
      idempotency_key: "7",
    });
    expect(text).not.toContain("00000");
    expect(text).toContain("--idempotency-key 7: not with ….");
  });
});
