import { runInNewContext } from "node:vm";
import { expect, test, vi } from "vitest";
import { PaymentsClient } from "../../src/client/client.ts";
import { InterruptedError } from "../../src/client/errors.ts";
import { NotSentError, type Transport } from "../../src/runtime/http-transport.ts";
import { body } from "../testkit/client/running-service.ts";
import { paymentWith } from "../testkit/api-objects.ts";

const send = vi.fn<Transport["send"]>();
const transport: Transport = { send, close: async () => {} };
const client = new PaymentsClient({ baseUrl: transport, apiKey: "svc_test_sk_key" });
const { payments, checkout, webhookEndpoints, reports, sandbox } = client;
const pending = paymentWith({ status: "pending" });

/** Arguments as a program without types passes them. */
const untyped = (value: unknown) => value as never;

test.each([undefined, null, "http://127.0.0.1:8402", []])(
  "options that are %j are refused",
  (given) => {
    expect(() => new PaymentsClient(untyped(given))).toThrow(
      new TypeError(
        "PaymentsClient takes an object of options: apiKey, baseUrl, allowHttp, serviceVersion, maxRetries, timeoutMs, waitsForRateLimits.",
      ),
    );
  },
);

test.each<[call: string, told: string, call: () => Promise<unknown>]>([
  ["an id that is missing", "id must be text", async () => payments.retrieve(untyped(undefined))],
  ["an empty id", "id must be text", async () => payments.refund("")],
  ["a payment for an id", "pass payment.id", async () => payments.refund(untyped(pending))],
  ["an id that no URL can hold", "id must be text", async () => payments.retrieve("pay_\uD800")],
  [
    "no delivery",
    "delivery must be text",
    async () => webhookEndpoints.delivery("we_1", untyped(null)),
  ],
  ["no body", "body must be an object", async () => payments.create(untyped(undefined))],
  ["a body in JSON", "body must be an object", async () => payments.create(untyped("{}"))],
  ["a list for a body", "body must be an object", async () => payments.createHosted(untyped([]))],
  ["no query", "query must be an object", async () => payments.list(untyped(null))],
  [
    "a query of another kind",
    "query must be an object",
    async () => reports.payments(untyped("day")),
  ],
  [
    "a filter that is null",
    "status must be text or a number",
    async () => payments.list(untyped({ status: null })),
  ],
  [
    "a filter that is a Date",
    "created[gte] must be text or a number",
    async () => payments.list(untyped({ "created[gte]": new Date() })),
  ],
  [
    "no options",
    "This call takes an object of options: signal.",
    async () => payments.retrieve("pay_1", untyped(null)),
  ],
  [
    "no options of a write",
    "signal, idempotencyKey",
    async () => payments.create(body, untyped(null)),
  ],
  [
    "a key for options",
    "This call takes an object",
    async () => payments.create(body, untyped("order-1")),
  ],
  [
    "a misspelt option",
    "This call has no option idempotencykey. Did you mean idempotencyKey?",
    async () => payments.create(body, untyped({ idempotencykey: "a" })),
  ],
  [
    "an idempotency key that is null",
    "idempotencyKey must be 1 to 255",
    async () => payments.create(body, untyped({ idempotencyKey: null })),
  ],
  [
    "an idempotency key of two lines",
    "idempotencyKey must be 1 to 255",
    async () => payments.create(body, { idempotencyKey: "two\nlines" }),
  ],
  [
    "a reason that holds a card number",
    "reason must not hold a card number",
    async () => payments.refund("pay_1", { reason: "Card 4242 4242 4242 4242" }),
  ],
  [
    "a reason for a payment",
    "This call has no option reason",
    async () => payments.create(body, untyped({ reason: "Charged twice" })),
  ],
  [
    "a signal that is none",
    "signal must be an AbortSignal",
    async () => payments.retrieve("pay_1", untyped({ signal: new AbortController() })),
  ],
  [
    "an id for a payment",
    "payment must be a payment",
    async () => payments.settled(untyped("pay_1")),
  ],
  [
    "a time that is none",
    "timeoutMs must be a number",
    async () => payments.settled(pending, untyped("30s")),
  ],
  [
    "a listener that is none",
    "onProgress must be a function",
    async () => payments.settled(pending, 0, untyped({ onProgress: true })),
  ],
  [
    "no payment to pay",
    "payment must be a payment",
    async () => checkout.pay(untyped(undefined), { testCard: "visa" }),
  ],
  ["no test card", "testCard must be the name", async () => checkout.pay(pending, untyped({}))],
  [
    "no options of a page",
    "This call takes an object",
    async () => checkout.pay(pending, untyped(undefined)),
  ],
  [
    "a decision that is none",
    "challenge must be approve or decline",
    async () => checkout.pay(pending, untyped({ testCard: "visa", challenge: "yes" })),
  ],
  [
    "options that are null in a sandbox",
    "This call takes an object",
    async () => sandbox.advance("1s", untyped(null)),
  ],
  ["a total that is none", "total must be a number", async () => payments.pages({}, -1).next()],
  ["no query of pages", "query must be an object", async () => payments.all(untyped(null)).next()],
])("%s is a TypeError that says what is right: %s", async (_, told, call) => {
  const error: unknown = await call().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(TypeError);
  expect((error as Error).message).toContain(told);
  expect(send).not.toHaveBeenCalled();
});

test("a signal of another realm, or of a library, interrupts a pause between two attempts", async () => {
  const target = new EventTarget();
  const foreign: { aborted: boolean; reason: unknown } = runInNewContext("({ aborted: false })");
  const signal = Object.assign(foreign, {
    addEventListener: target.addEventListener.bind(target),
    removeEventListener: target.removeEventListener.bind(target),
  });
  const reason = new Error("no longer needed");
  send.mockImplementationOnce(async () => {
    queueMicrotask(() => {
      signal.aborted = true;
      signal.reason = reason;
      target.dispatchEvent(new Event("abort"));
    });
    throw new NotSentError(untyped("refused"));
  });
  await expect(payments.retrieve("pay_1", untyped({ signal }))).rejects.toThrow(InterruptedError);
  await expect(payments.settled(pending, 1_000, untyped({ signal }))).rejects.toMatchObject({
    name: "InterruptedError",
    cause: reason,
  });
  expect(send).toHaveBeenCalledTimes(1);
});

test("a transport may reject with something other than an error", () => {
  expect(new NotSentError("refused").message).toBe("refused");
});
