import { runInNewContext } from "node:vm";
import { describe, expect, test, vi } from "vitest";
import {
  ApiError,
  ConnectionError,
  isRetryable,
  ModeMismatchError,
  PaymentsError,
  UnexpectedAnswerError,
} from "../../src/client/errors.ts";
import type { Transport } from "../../src/client/transport.ts";
import { body, runningService } from "../testkit/client/running-service.ts";

const service = runningService();

describe("an error response of the service is an ApiError", () => {
  test("with every field of the envelope", async () => {
    const { payments } = service.client();
    const error: unknown = await payments
      .create({ ...body, amount: 0 }, { idempotencyKey: "k-1" })
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toBeInstanceOf(PaymentsError);
    expect(error).toMatchObject({
      name: "ApiError",
      status: 400,
      type: "invalid_request_error",
      code: "parameter_invalid",
      param: "amount",
      declineCode: null,
      docUrl: `${service.url}/docs/errors#parameter_invalid`,
      requestId: expect.stringMatching(/^req_[0-9a-f-]{36}$/) as unknown,
      message: expect.stringContaining("amount") as unknown,
      retryable: false,
      idempotencyKey: "k-1",
    });
  });
});

describe("a retry", () => {
  test.each([
    [408, "request_timeout"],
    [429, "rate_limit_exceeded"],
    [500, "internal_error"],
    [502, ""],
    [503, "service_unavailable"],
    [599, ""],
    [409, "idempotency_key_in_use"],
  ])("can help after %d %s", (status, code) => {
    expect(isRetryable(status, code)).toBe(true);
  });

  test.each([
    [200, ""],
    [302, ""],
    [400, "parameter_invalid"],
    [401, "invalid_api_key"],
    [404, "resource_missing"],
    [409, "idempotency_key_reused"],
    [422, "payment_not_refundable"],
  ])("cannot help after %d %s", (status, code) => {
    expect(isRetryable(status, code)).toBe(false);
  });
});

test("an error without a cause has no field for it", () => {
  expect(Object.hasOwn(new UnexpectedAnswerError(200, "not JSON"), "cause")).toBe(false);
});

test.each<[string, string]>([
  ["an error", "new Error('other side closed')"],
  ["several, of the addresses of a name", "new AggregateError([new Error('other side closed')])"],
])(
  "a lost connection is recognized although Node throws it in another realm: %s",
  async (_, code) => {
    const reason: unknown = runInNewContext(code);
    const send = vi.fn<Transport["send"]>().mockRejectedValue(reason);
    const baseUrl: Transport = { send, close: async () => {} };
    const { payments } = service.client({ baseUrl, maxRetries: 1 });
    await expect(payments.create(body, { idempotencyKey: "k" })).rejects.toMatchObject({
      name: "ConnectionError",
      message: "The service did not answer: other side closed.",
      idempotencyKey: "k",
      outcomeUnknown: true,
      cause: reason,
    });
    expect(send).toHaveBeenCalledTimes(2);
  },
);

test("every error of a call is a PaymentsError with a name of its own", () => {
  const errors = [
    new ConnectionError("no answer", new Error("ECONNREFUSED")),
    new UnexpectedAnswerError(200, "not JSON"),
    new ModeMismatchError("test", "pay_1"),
  ];
  for (const error of errors) {
    expect(error).toBeInstanceOf(PaymentsError);
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe(error.constructor.name);
  }
  expect(errors[0]?.cause).toEqual(new Error("ECONNREFUSED"));
});
