import { describe, expect, test } from "vitest";
import { envelopeError, json } from "../../testkit/client/scripted-server.ts";
import { expectEverywhere, type Promised } from "../../testkit/command/error-forms.ts";

type Refusal = [status: number, code: string, exitCode: number, more?: Partial<Promised>];

const final: Refusal[] = [
  [400, "parameter_invalid", 2],
  [401, "invalid_api_key", 4],
  [402, "card_declined", 2],
  [403, "forbidden", 4],
  [404, "resource_missing", 5],
  [405, "method_not_allowed", 2],
  [409, "idempotency_key_reused", 6],
  [413, "request_too_large", 2],
  [422, "payment_not_refundable", 6],
  [422, "payment_already_refunded", 6],
  [422, "code_of_tomorrow", 2],
];
const passing: Refusal[] = [
  [409, "idempotency_key_in_use", 6],
  [429, "rate_limit_exceeded", 7],
  [500, "internal_error", 9, { unclear: true }],
  [502, "service_unavailable", 9, { unclear: true }],
  [503, "service_unavailable", 9, { unclear: true }],
];
const otherKey =
  "Log in again with payments login, or give another key in PAYMENTS_API_KEY or with --api-key-file. payments whoami shows the service and the key.";

/** The envelope's other fields, which are told as they are. */
const envelope = {
  ...envelopeError,
  type: "type_of_error",
  message: "What happened.",
  param: "card[number]",
  decline_code: "insufficient_funds",
};

const refusals = [...final, ...passing];

describe.concurrent("an answer that refuses ends list, get, create and refund alike:", () => {
  test.each(refusals)("HTTP %d %s is exit %d", async (http_status, code, exitCode, more) => {
    const turn = refusals.findIndex((refusal) => refusal[0] === http_status && refusal[1] === code);
    const retryable = turn >= final.length;
    const answer = json(http_status, { error: { ...envelope, code } });
    // What is final is not tried again, however many retries there are.
    const retries = ["--max-retries", retryable ? "0" : "2"];
    const errors = await expectEverywhere(() => answer, retries, turn, {
      exitCode,
      code,
      http_status,
      retryable,
      unclear: false,
      hint: http_status === 401 ? otherKey : null,
      ...more,
    });
    for (const error of errors) expect(error).toMatchObject({ ...envelope, code });
  });
});
