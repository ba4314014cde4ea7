import { setImmediate as nextTurn } from "node:timers/promises";
import { runInNewContext } from "node:vm";
import { describe, expect, test, vi } from "vitest";
import { PaymentsClient, type ClientOptions } from "../../src/client/index.ts";
import { body, runningService } from "../testkit/client/running-service.ts";
import { paymentWith } from "../testkit/api-objects.ts";
import { json, scriptedServer } from "../testkit/client/scripted-server.ts";
import { waitUntilSettled } from "../../src/client/calls.ts";
import {
  ApiError,
  ConnectionError,
  isRetryable,
  ModeMismatchError,
  PaymentsError,
  UnexpectedAnswerError,
} from "../../src/client/errors.ts";
import type { Transport } from "../../src/runtime/http-transport.ts";

const service = runningService({ processingTimeMs: 300 });

describe("a client of a running service", () => {
  test("creates a payment, finds it again, and refunds it", async () => {
    const { payments } = service.client();
    const created = await payments.create({
      ...body,
      customer: { email: "ada@example.com", first_name: "Ada", last_name: "Lovelace" },
      description: "A book",
      metadata: { order_id: "1001" },
    });
    expect(created).toMatchObject({
      object: "payment",
      amount: 4999,
      currency: "eur",
      status: "succeeded",
      description: "A book",
      customer: { email: "ada@example.com", name: "Ada Lovelace" },
      metadata: { order_id: "1001" },
      livemode: false,
    });
    expect(await payments.retrieve(created.id)).toEqual(created);

    const refunded = await payments.refund(created.id);
    expect(refunded).toMatchObject({ id: created.id, status: "refunded" });
    expect(refunded.refunded_at).toBeTypeOf("number");
  });

  test("creates a hosted payment once for one idempotency key, and reads how its page ended", async () => {
    const { payments } = service.client();
    const hosted = {
      amount: 4999,
      currency: "eur",
      return_url: "https://shop.example/thanks",
    } as const;
    const created = await payments.createHosted(hosted, { idempotencyKey: "hosted-1001" });
    expect(created).toMatchObject({ status: "pending", card: null, livemode: false });
    expect(created.redirect_url?.startsWith(`${service.url}/pay/`)).toBe(true);
    expect(await payments.createHosted(hosted, { idempotencyKey: "hosted-1001" })).toEqual(created);
    await fetch(`${created.redirect_url}/cancel`, { method: "POST" });
    expect(await payments.settled(created)).toMatchObject({
      status: "failed",
      decline_code: "customer_canceled",
    });
  });

  test.each(["test", "live"] as const)("returns the account of its %s key", async (mode) => {
    const { account } = service.client({ apiKey: service.keys[mode] });
    expect(await account.retrieve()).toEqual({
      id: expect.stringMatching(/^acct_/) as unknown,
      object: "account",
      name: "Default",
      default_version: "2026-11-01",
      livemode: mode === "live",
      permissions: ["create", "read", "refund", "webhooks"],
      max_refund: null,
    });
  });
});

test("a client closes its transport once, however often and by whom it is closed", async () => {
  const closing = Promise.withResolvers<void>();
  const close = vi.fn<Transport["close"]>(async () => closing.promise);
  const send = vi.fn<Transport["send"]>();
  const client = new PaymentsClient({ apiKey: "svc_test_sk_key", baseUrl: { send, close } });
  let ended = 0;
  const closes = [client.close(), client.close(), client[Symbol.asyncDispose]()].map(async (each) =>
    each.then(() => ended++),
  );
  await nextTurn();
  expect([close.mock.calls.length, ended]).toEqual([1, 0]);
  closing.resolve();
  await Promise.all(closes);
  await client.close();
  expect(close).toHaveBeenCalledOnce();
});

test("a client is closed at the end of the block that is using it", async () => {
  const server = await scriptedServer(json(200, paymentWith({ id: "pay_1" })));
  const opened = new PaymentsClient({ apiKey: "svc_test_sk_key", baseUrl: server.url });
  {
    await using client = opened;
    await client.payments.retrieve("pay_1");
  }
  await expect(opened.payments.retrieve("pay_1")).rejects.toThrow(PaymentsError);
});

describe("a client's request", () => {
  test("is the key, the version, the body as JSON, and a fresh UUIDv4 for each write", async () => {
    const server = await scriptedServer(json(201, paymentWith({ id: "pay_1" })));
    const client = new PaymentsClient({
      apiKey: "svc_test_sk_key",
      baseUrl: `${server.url}/gateway`,
      serviceVersion: "2026-11-01",
    });
    await client.payments.create(body);
    await client.payments.refund("pay_1");
    await client.close();

    const [create, refund] = server.requests;
    expect(create).toMatchObject({
      method: "POST",
      path: "/gateway/v1/payments",
      headers: {
        authorization: "Bearer svc_test_sk_key",
        "content-type": "application/json",
        "service-version": "2026-11-01",
      },
    });
    expect(JSON.parse(create?.body ?? "")).toEqual(body);
    expect(refund).toMatchObject({
      method: "POST",
      path: "/gateway/v1/payments/pay_1/refund",
      body: "",
    });
    expect(refund?.headers["content-type"]).toBeUndefined();
    const keys = server.requests.map(({ headers }) => headers["idempotency-key"]);
    for (const key of keys) expect(key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/);
    expect(keys[0]).not.toBe(keys[1]);
  });

  test("has no idempotency key on reads, and no version unless one is pinned", async () => {
    const server = await scriptedServer(json(200, paymentWith({ id: "pay_1" })));
    const client = new PaymentsClient({ apiKey: "svc_test_sk_key", baseUrl: server.url });
    await client.payments.retrieve("pay_1");
    await client.close();
    const headers = server.requests[0]?.headers;
    expect(headers?.["idempotency-key"]).toBeUndefined();
    expect(headers?.["service-version"]).toBeUndefined();
  });
});

test.each<[string, object]>([
  ["apiKey", { apiKey: "svc_test_sk_key\n" }],
  ["apiKey", { apiKey: "svc_test_sk_k\u00eby" }],
  ["apiKey", { apiKey: undefined }],
  ["serviceVersion", { serviceVersion: "latest" }],
  ["timeoutMs", { timeoutMs: 0 }],
  ["timeoutMs", { timeoutMs: Number.NaN }],
  ["baseUrl", { baseUrl: "localhost:8402" }],
  ["baseUrl must be an http or https address", { baseUrl: "127.0.0.1:8402" }],
  ["baseUrl must be an http or https address", { baseUrl: undefined }],
  ["of a URL its href", { baseUrl: new URL("http://127.0.0.1:8402") }],
  ["baseUrl must be an http or https address", { baseUrl: null }],
  ["maxRetries must be a whole number, 0 or more", { maxRetries: -1 }],
  ["maxRetries must be a whole number, 0 or more", { maxRetries: Number.NaN }],
  ["maxRetries must be a whole number, 0 or more", { maxRetries: "3" }],
  ["serviceVersion must be a date", { serviceVersion: null }],
  ["PaymentsClient has no option maxRetry. Did you mean maxRetries?", { maxRetry: 0 }],
  ["PaymentsClient has no option baseURL. Did you mean baseUrl?", { baseURL: "http://a" }],
  ["no option retries. Did you mean maxRetries?", { retries: 3 }],
  ["PaymentsClient has no option agent. It has apiKey, baseUrl,", { agent: {} }],
])("options with which nothing can be sent are refused at once: %s (%#)", (named, options) => {
  const working: ClientOptions = { apiKey: "svc_test_sk_key", baseUrl: "http://127.0.0.1:8402" };
  const make = () => new PaymentsClient({ ...working, ...options });
  expect(make).toThrow(TypeError);
  expect(make).toThrow(named);
  expect(make).not.toThrow("svc_test_sk_k");
});

describe("waiting for an outcome", () => {
  test("sends nothing for a payment that is no longer pending", async () => {
    const server = await scriptedServer(json(200, paymentWith()));
    const { payments } = service.client({ baseUrl: server.url });
    const failed = paymentWith({ status: "failed" });
    expect(await payments.settled(failed)).toBe(failed);
    expect(server.requests).toEqual([]);
  });

  test("returns the last state of the payment when the time is over", async () => {
    const server = await scriptedServer(json(200, paymentWith({ status: "pending", amount: 2 })));
    const { payments } = service.client({ baseUrl: server.url });
    const startMs = performance.now();
    const seen = await payments.settled(paymentWith({ status: "pending", amount: 1 }), 400);
    expect(seen).toMatchObject({ status: "pending", amount: 2 });
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(395);
    // After 100, 250 and 400 ms, at growing intervals, and once more at the end.
    expect(server.requests.length).toBeLessThanOrEqual(4);
  });

  test("says once when the customer is at the bank, and once when no longer", async () => {
    const pending = paymentWith({ status: "pending" });
    const atBank = json(200, pending, { "Payment-Progress": "at_bank" });
    const back = json(200, pending);
    const settled = paymentWith();
    const answers = [back, atBank, atBank, back, back, atBank, json(200, settled)];
    const { payments } = service.client({ baseUrl: (await scriptedServer(...answers)).url });
    const said: (string | null)[] = [];
    const onProgress = (progress: string | null) => said.push(progress);
    expect(await payments.settled(pending, 30_000, { onProgress })).toEqual(settled);
    expect(said).toEqual(["at_bank", null, "at_bank", null]);
  });

  test("says nothing of a customer who is never at the bank", async () => {
    const pending = paymentWith({ status: "pending" });
    const other = json(200, pending, { "payment-progress": "of_a_later_version" });
    const answers = [other, json(200, paymentWith())];
    const { payments } = service.client({ baseUrl: (await scriptedServer(...answers)).url });
    const onProgress = vi.fn<(progress: "at_bank" | null) => void>();
    await payments.settled(pending, 30_000, { onProgress });
    expect(onProgress).not.toHaveBeenCalled();
  });

  test("throws the error of its request", async () => {
    const pending = paymentWith({ status: "pending" });
    const gone = new Error("gone");
    const retrieve = async () => {
      throw gone;
    };
    await expect(waitUntilSettled(pending, retrieve, 1_000)).rejects.toBe(gone);
  });

  test("for 0 ms sends nothing", async () => {
    const pending = paymentWith({ status: "pending" });
    expect(await waitUntilSettled(pending, async () => paymentWith(), 0)).toBe(pending);
  });
});

test("an error response of the service is an ApiError with every field of the envelope", async () => {
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
