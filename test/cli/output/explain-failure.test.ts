import { Chalk } from "chalk";
import { describe, expect, test } from "vitest";
import { CommandError, usageError } from "../../../src/cli/output/command-error.ts";
import { exitCodes } from "../../../src/cli/output/exit-codes.ts";
import { Interruption } from "../../../src/cli/output/interruption.ts";
import {
  type Problem,
  formatProblem,
  toFailure,
  toProblemJson,
} from "../../../src/cli/output/explain-failure.ts";
import { canceled } from "../../../src/cli/prompts/prompter.ts";
import {
  ApiError,
  ConnectionError,
  ModeMismatchError,
  type PaymentsError,
  UnexpectedAnswerError,
} from "../../../src/client/errors.ts";
import { ConfigError, Unavailable } from "../../../src/runtime/failures.ts";
import { envelopeError } from "../../testkit/client/scripted-server.ts";

const onWrite = <E extends PaymentsError>(error: E, outcomeUnknown: boolean): E =>
  Object.assign(error, { idempotencyKey: "order-1", outcomeUnknown });
const unknownOutcome =
  "The outcome is unknown. Run the same command with --idempotency-key order-1: nothing happens twice.";

const unclear = {
  "a lost connection": new ConnectionError("dropped", new Error("ECONNRESET")),
  "HTTP 500": new ApiError(500, { error: envelopeError }),
  "HTTP 503": new ApiError(503, { error: envelopeError }),
  "an answer that is not JSON": new UnexpectedAnswerError(200, "not JSON"),
  "a redirect": new UnexpectedAnswerError(302, "redirect"),
};

test.each([
  [400, "parameter_invalid", exitCodes.usage],
  [401, "invalid_api_key", exitCodes.key],
  [403, "forbidden", exitCodes.key],
  [404, "resource_missing", exitCodes.not_found],
  [404, "endpoint_not_found", exitCodes.not_found],
  [405, "method_not_allowed", exitCodes.usage],
  [409, "idempotency_key_reused", exitCodes.conflict],
  [409, "idempotency_key_in_use", exitCodes.conflict],
  [413, "request_too_large", exitCodes.usage],
  [422, "payment_not_refundable", exitCodes.conflict],
  [422, "payment_already_refunded", exitCodes.conflict],
  [422, "code_of_tomorrow", exitCodes.usage],
  [429, "rate_limit_exceeded", exitCodes.rate_limited],
  [500, "internal_error", exitCodes.unavailable],
  [503, "service_unavailable", exitCodes.unavailable],
])("the exit code for an HTTP status %d %s is %d", (status, code, exitCode) => {
  const error = new ApiError(status, { error: { ...envelopeError, code } });
  expect(toFailure(error).exitCode).toBe(exitCode);
});

test("an error of the API is described with all its fields", () => {
  const error = onWrite(
    new ApiError(402, {
      error: { ...envelopeError, type: "card_error", param: "card", decline_code: "expired_card" },
    }),
    false,
  );
  expect(toFailure(error)).toEqual({
    exitCode: 2,
    problem: {
      type: "card_error",
      code: "internal_error",
      message: "It went wrong.",
      param: "card",
      decline_code: "expired_card",
      doc_url: "https://payments.example.com/docs/errors#code",
      request_id: "req_1",
      http_status: 402,
      retryable: false,
      idempotency_key: "order-1",
      hint: null,
    },
    isLogged: false,
  });
});

describe("after a write without a clear response", () => {
  test.each(Object.entries(unclear))("%s is exit 9 and names the key", (_, error) => {
    const { exitCode, problem } = toFailure(onWrite(error, true));
    expect(exitCode).toBe(9);
    expect(problem).toMatchObject({ hint: unknownOutcome, idempotency_key: "order-1" });
  });

  test.each([400, 404, 409, 422, 429])("HTTP %d is clear: nothing was done", (status) => {
    expect(
      toFailure(onWrite(new ApiError(status, { error: envelopeError }), false)).problem.hint,
    ).toBeNull();
  });

  test("HTTP 401 is clear, and the hint suggests another key", () => {
    const rejected = new ApiError(401, { error: envelopeError });
    const { hint } = toFailure(onWrite(rejected, false)).problem;
    expect(hint).toMatch(
      /^Log in again .+ PAYMENTS_API_KEY or with --api-key-file, and its service in PAYMENTS_BASE_URL\. payments whoami .+\.$/,
    );
  });

  test("an unknown path is clear, and the hint suggests to check the base URL", () => {
    const missing = { error: { ...envelopeError, code: "endpoint_not_found" } };
    const { hint } = toFailure(onWrite(new ApiError(404, missing), false)).problem;
    expect(hint).toMatch(/^Check the base URL, which is without \/v1\./);
  });

  test.each([
    ["limt is not known here. You may mean limit.", null],
    [
      "search is not known here. Check the spelling, or leave it out.",
      "A service of an older version may not know this parameter yet.",
    ],
  ])(
    "the hint blames the version only where the service knows no near name: %s",
    (message, hint) => {
      const unknown = { error: { ...envelopeError, code: "parameter_unknown", message } };
      expect(toFailure(new ApiError(400, unknown)).problem.hint).toBe(hint);
    },
  );

  test.each([
    [4_200, "Wait 5 s (Retry-After), then run the same command again."],
    [undefined, null],
  ])("the hint of a rate limit says how long to wait: %s ms", (retryAfterMs, hint) => {
    const limited = { error: { ...envelopeError, code: "rate_limit_exceeded" } };
    const error = Object.assign(new ApiError(429, limited), { retryAfterMs });
    expect(toFailure(error).problem.hint).toBe(hint);
  });

  test("HTTP 401 after an unclear attempt is not clear", () => {
    const rejected = new ApiError(401, { error: envelopeError });
    expect(toFailure(onWrite(rejected, true)).problem.hint).toBe(unknownOutcome);
  });
});

test.each([
  [new ConnectionError("dropped", undefined), "connection_failed", true, null],
  [new UnexpectedAnswerError(200, "not JSON"), "unexpected_answer", false, 200],
  [new UnexpectedAnswerError(404, "a page"), "unexpected_answer", false, 404],
])(
  "after a read without a response %s is exit 9, with the base URL to check",
  (error, code, retryable, http_status) => {
    const { exitCode, problem } = toFailure(error);
    expect(exitCode).toBe(9);
    expect(problem).toMatchObject({ type: "cli_error", code, retryable, http_status });
    expect(problem.hint).toMatch(/^Check the base URL/);
    expect(problem.idempotency_key).toBeNull();
  },
);

test("where nothing listens on this machine, the hint says how to start it, or to use another", () => {
  const about = { sent: false, nothingListens: true };
  const { problem } = toFailure(new ConnectionError("refused", undefined, about));
  expect(problem.hint).toMatch(
    /^Nothing listens there\. .*payments sandbox.*PAYMENTS_BASE_URL.*--base-url.*payments logout/,
  );
});

test("after a proxy's page instead of a response the hint says that the service may be down", () => {
  const { exitCode, problem } = toFailure(new UnexpectedAnswerError(502, "a page"));
  expect(exitCode).toBe(9);
  expect(problem).toMatchObject({ code: "unexpected_answer", retryable: true, http_status: 502 });
  expect(problem.hint).toMatch(/^A proxy may respond for a service that is down/);
});

test.each([
  [401, 4],
  [403, 4],
  [429, 7],
  [404, 9],
  [200, 9],
])("a page instead of a response, with HTTP %d, is exit %d", (status, exitCode) => {
  expect(toFailure(new UnexpectedAnswerError(status, "a page")).exitCode).toBe(exitCode);
});

test("a payment of the other mode is exit 4, and the error names its id", () => {
  const { exitCode, problem } = toFailure(onWrite(new ModeMismatchError("test", "pay_1"), false));
  expect(exitCode).toBe(4);
  expect(problem).toMatchObject({ code: "mode_mismatch", retryable: false });
  expect(problem.message).toContain("pay_1");
});

test.each([
  ["not_as_expected", 3],
  ["key", 4],
  ["not_found", 5],
  ["conflict", 6],
  ["still_pending", 8],
  ["unavailable", 9],
  ["canceled", 10],
  ["usage", 2],
] as const)("a command that ends as %s ends with %d", (code, exitCode) => {
  const error = new CommandError(code, "It ended.", "Do this.");
  error.declineCode = "expired_card";
  expect(toFailure(error)).toMatchObject({
    exitCode,
    problem: {
      type: "cli_error",
      code,
      message: "It ended.",
      decline_code: "expired_card",
      hint: "Do this.",
    },
  });
});

test("a configuration error is a usage error", () => {
  expect(toFailure(new ConfigError("It cannot.", "Do this."))).toMatchObject({
    exitCode: 2,
    problem: { code: "usage", message: "It cannot.", hint: "Do this." },
  });
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)("work that %s ended is exit %d", (by, exitCode) => {
  expect(toFailure(new Interruption(by, { hasPrompted: false }))).toMatchObject({
    exitCode,
    problem: { code: "interrupted", message: "Interrupted." },
  });
});

test("an unusable store or port is exit 9", () => {
  expect(toFailure(new Unavailable("The disk is full."))).toMatchObject({
    exitCode: 9,
    problem: { code: "unavailable", message: "The disk is full." },
  });
});

test("leaving a prompt is exit 10", () => {
  expect(toFailure(canceled())).toMatchObject({
    exitCode: 10,
    problem: { code: "canceled", message: "Canceled; nothing was sent." },
  });
});

test.each([new TypeError("x is not a function"), "thrown text", undefined])(
  "anything else is an internal error: %s",
  (thrown) => {
    const { exitCode, problem } = toFailure(thrown);
    expect(exitCode).toBe(1);
    expect(problem.code).toBe("fault");
    expect(problem.message).toMatch(/^Internal error: /);
    expect(problem.hint).toContain("report");
  },
);

test("a missing value is a usage error", () => {
  expect(toFailure(usageError("Missing --amount."))).toMatchObject({ exitCode: 2 });
});

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
