import { beforeEach, describe, expect, test, vi } from "vitest";
import { PaymentsClient } from "../../src/client/client.ts";
import { createHttpTransport, type Transport } from "../../src/runtime/http-transport.ts";
import { body, runningService } from "../testkit/client/running-service.ts";
import { paymentWith } from "../testkit/api-objects.ts";
import {
  type Answer,
  envelopeError,
  half,
  json,
  scriptedServer,
  silence,
  silenceUntil,
} from "../testkit/client/scripted-server.ts";
import { InterruptedError } from "../../src/client/errors.ts";

beforeEach(() => {
  vi.spyOn(Math, "random").mockReturnValue(0);
});

async function createClient(
  options: { timeoutMs: number; maxRetries: number },
  ...answers: Answer[]
) {
  const server = await scriptedServer(...answers);
  const client = new PaymentsClient({ apiKey: "svc_test_sk_key", baseUrl: server.url, ...options });
  return { client, payments: client.payments, server };
}

describe("an attempt that takes too long", () => {
  test.each([
    ["no response comes", silence],
    ["half a response comes", half],
  ])("ends when %s", async (_, answer) => {
    const { payments } = await createClient({ timeoutMs: 600, maxRetries: 0 }, answer);
    const startMs = performance.now();
    await expect(payments.create(body, { idempotencyKey: "k" })).rejects.toMatchObject({
      name: "ConnectionError",
      message: "The service did not answer: no answer within 0.6 s.",
      retryable: true,
      idempotencyKey: "k",
    });
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(595);
  });

  test("is followed by another one, which has the whole time limit", async () => {
    const { payments, server } = await createClient(
      { timeoutMs: 200, maxRetries: 10 }, // on a busy machine more attempts than the first two may take too long
      silence,
      half,
      json(200, paymentWith()),
    );
    const startMs = performance.now();
    expect(await payments.create(body)).toEqual(paymentWith());
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(395);
    expect(server.requests.length).toBeGreaterThanOrEqual(3);
    expect(new Set(server.requests.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
  });

  test("does not delay the next request", async () => {
    const { payments } = await createClient(
      { timeoutMs: 100, maxRetries: 0 },
      silence,
      json(200, paymentWith()),
    );
    await expect(payments.retrieve(paymentWith().id)).rejects.toMatchObject({
      name: "ConnectionError",
    });
    const next = async () => payments.retrieve(paymentWith().id).catch(() => undefined);
    await expect.poll(next).toEqual(paymentWith());
  });
});

test("a time limit longer than the maximum of a timer still allows the request", async () => {
  const warned = vi.fn<() => void>();
  process.once("warning", warned);
  const { payments } = await createClient(
    { timeoutMs: 1e12, maxRetries: 0 },
    json(200, paymentWith()),
  );
  expect(await payments.retrieve(paymentWith().id)).toEqual(paymentWith());
  process.off("warning", warned);
  expect(warned).not.toHaveBeenCalled();
});

test("closing a client ends its calls", async () => {
  const { client, payments, server } = await createClient(
    { timeoutMs: 60_000, maxRetries: 0 },
    silence,
  );
  const call = payments.list().catch((error: unknown) => error);
  await expect.poll(() => server.requests.length).toBe(1);
  await client.close();
  expect(await call).toMatchObject({ name: "ConnectionError" });
});

test("a response larger than 64 MiB is refused", async () => {
  const chunk = Buffer.alloc(8 * 1024 * 1024, " ");
  const { payments } = await createClient({ timeoutMs: 20_000, maxRetries: 0 }, (response) => {
    for (let i = 0; i < 9; i++) response.write(chunk);
    response.end();
  });
  await expect(payments.list()).rejects.toMatchObject({
    name: "ConnectionError",
    message: "The service did not answer: the answer is larger than 64 MiB.",
  });
});

test("a request that times out while it waits for a connection is never sent", async () => {
  const gate = Promise.withResolvers<void>();
  const server = await scriptedServer(async (...call) => {
    await gate.promise;
    json(200, paymentWith())(...call);
  });
  const baseUrl = createHttpTransport(server.url);
  const options = { apiKey: "svc_test_sk_key", baseUrl, maxRetries: 0 };
  const client = new PaymentsClient({ ...options, timeoutMs: 20_000 });
  const hasty = new PaymentsClient({ ...options, timeoutMs: 100 });

  const connections = 32;
  const first = Array.from({ length: connections }, async () => client.payments.create(body));
  await expect.poll(() => server.requests.length).toBe(connections);
  const timedOut = Array.from({ length: 8 }, async () => hasty.payments.create(body));
  const ended = await Promise.allSettled(timedOut);
  expect(ended.filter(({ status }) => status === "fulfilled")).toEqual([]);

  gate.resolve();
  await Promise.all(first);
  await client.payments.create(body); // it waits behind those that timed out
  expect(server.requests).toHaveLength(connections + 1);
  await client.close();
});

test("waiting for an outcome aborts its last request when the time is over", async () => {
  const gone = Promise.withResolvers<void>();
  const { payments } = await createClient(
    { timeoutMs: Number.POSITIVE_INFINITY, maxRetries: 3 },
    silenceUntil(gone.resolve),
  );
  const pending = paymentWith({ status: "pending" });
  expect(await payments.settled(pending, 200)).toBe(pending);
  await gone.promise;
});

const service = runningService();
const noTimeout = { timeoutMs: Number.POSITIVE_INFINITY };

/** A transport that refuses each attempt with a Retry-After; `waits` resolves when the client begins to wait. */
function createRefusingTransport(status: number, code: string) {
  const { promise: waits, resolve } = Promise.withResolvers<void>();
  let sent = 0;
  // The client draws its delay at random just before it waits. The service beside it draws random numbers, too.
  vi.spyOn(Math, "random").mockImplementation(() => {
    if (sent > 0) resolve();
    return 0;
  });
  const transport: Transport = {
    send: async () => {
      sent++;
      const answer = { error: { ...envelopeError, code } };
      return { status, headers: { "retry-after": "30" }, body: JSON.stringify(answer) };
    },
    close: async () => {},
  };
  return { transport, waits, sent: () => sent };
}

describe("a call that is aborted", () => {
  test("before anything was sent sends nothing", async () => {
    const server = await scriptedServer(json(201, paymentWith()));
    const { payments } = service.client({ baseUrl: server.url });
    const error = await payments
      .create(body, { signal: AbortSignal.abort("enough") })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(InterruptedError);
    expect(error).toMatchObject({ sent: false, outcomeUnknown: false, cause: "enough" });
    expect(server.requests).toEqual([]);
  });

  test("while it is under way names its key, because the outcome is unknown", async () => {
    const server = await scriptedServer(silence);
    const { payments } = service.client({ baseUrl: server.url });
    const aborting = new AbortController();
    const call = payments.create(body, { idempotencyKey: "order-1", signal: aborting.signal });
    const error = call.catch((reason: unknown) => reason);
    await expect.poll(() => server.requests.length).toBe(1);
    aborting.abort();
    expect(await error).toMatchObject({
      sent: true,
      outcomeUnknown: true,
      idempotencyKey: "order-1",
      retryable: false,
    });
    expect(server.requests).toHaveLength(1);
  });

  test("while it is under way closes its connection", async () => {
    const gone = Promise.withResolvers<void>();
    const server = await scriptedServer(silenceUntil(gone.resolve));
    const { payments } = service.client({ baseUrl: server.url, ...noTimeout });
    const aborting = new AbortController();
    const call = payments.create(body, { signal: aborting.signal });
    const error = call.catch((reason: unknown) => reason);
    await expect.poll(() => server.requests.length).toBe(1);
    aborting.abort();
    expect(await error).toMatchObject({ sent: true });
    await gone.promise;
  });

  test("while it waits for a connection is never sent", async () => {
    const server = await scriptedServer(silence, json(201, paymentWith()));
    const baseUrl = createHttpTransport(server.url, { connections: 1, maxResponseBytes: 1024 });
    const { payments } = service.client({ baseUrl, ...noTimeout });
    const [first, second] = [new AbortController(), new AbortController()];
    const calls = [first, second].map(async ({ signal }) =>
      payments.create(body, { signal }).catch((reason: unknown) => reason),
    );
    await expect.poll(() => server.requests.length).toBe(1);
    second.abort();
    await calls[1];
    first.abort();
    await calls[0];
    expect(await payments.create(body)).toEqual(paymentWith());
    expect(server.requests).toHaveLength(2);
  });

  test("between two attempts is not retried", async () => {
    const { transport, sent, waits } = createRefusingTransport(503, "service_unavailable");
    const { payments } = service.client({ baseUrl: transport });
    const aborting = new AbortController();
    const call = payments.create(body, { idempotencyKey: "order-1", signal: aborting.signal });
    const error = call.catch((reason: unknown) => reason);
    await waits;
    aborting.abort();
    expect(await error).toMatchObject({ sent: false, outcomeUnknown: true });
    expect(sent()).toBe(1);
  });
});

const aborted = { signal: AbortSignal.abort() };

/** Every call of the client, with a signal that is already aborted. */
const calls: Record<string, (client: PaymentsClient) => Promise<unknown>> = {
  "payments.create": async ({ payments }) => payments.create(body, aborted),
  "payments.createHosted": async ({ payments }) => payments.createHosted(body, aborted),
  "payments.retrieve": async ({ payments }) => payments.retrieve("pay_1", aborted),
  "payments.history": async ({ payments }) => payments.history("pay_1", aborted),
  "payments.list": async ({ payments }) => payments.list({}, aborted),
  "payments.cancel": async ({ payments }) => payments.cancel("pay_1", aborted),
  "payments.refund": async ({ payments }) => payments.refund("pay_1", aborted),
  "payments.pages": async ({ payments }) => payments.pages({}, 1, aborted).next(),
  "payments.all": async ({ payments }) => payments.all({}, aborted).next(),
  "payments.settled": async ({ payments }) =>
    payments.settled(paymentWith({ status: "pending" }), 30_000, aborted),
  "account.retrieve": async ({ account }) => account.retrieve(aborted),
  "reports.payments": async ({ reports }) => reports.payments({}, aborted),
  "events.retrieve": async ({ events }) => events.retrieve("evt_1", aborted),
  "events.list": async ({ events }) => events.list({}, aborted),
  "events.resend": async ({ events }) => events.resend("evt_1", {}, aborted),
  "events.pages": async ({ events }) => events.pages({}, 1, aborted).next(),
  "events.all": async ({ events }) => events.all({}, aborted).next(),
  "requests.retrieve": async ({ requests }) => requests.retrieve("req_1", aborted),
  "requests.list": async ({ requests }) => requests.list({}, aborted),
  "requests.pages": async ({ requests }) => requests.pages({}, 1, aborted).next(),
  "requests.all": async ({ requests }) => requests.all({}, aborted).next(),
  "webhookEndpoints.create": async ({ webhookEndpoints }) =>
    webhookEndpoints.create({ url: "https://example.com/hooks" }, aborted),
  "webhookEndpoints.retrieve": async ({ webhookEndpoints }) =>
    webhookEndpoints.retrieve("we_1", aborted),
  "webhookEndpoints.list": async ({ webhookEndpoints }) => webhookEndpoints.list({}, aborted),
  "webhookEndpoints.update": async ({ webhookEndpoints }) =>
    webhookEndpoints.update("we_1", {}, aborted),
  "webhookEndpoints.roll": async ({ webhookEndpoints }) =>
    webhookEndpoints.roll("we_1", {}, aborted),
  "webhookEndpoints.delete": async ({ webhookEndpoints }) =>
    webhookEndpoints.delete("we_1", aborted),
  "deliveries.list": async ({ deliveries }) => deliveries.list({ payment: "pay_1" }, aborted),
  "deliveries.pages": async ({ deliveries }) =>
    deliveries.pages({ payment: "pay_1" }, 1, aborted).next(),
  "deliveries.all": async ({ deliveries }) => deliveries.all({ payment: "pay_1" }, aborted).next(),
  "webhookEndpoints.deliveries": async ({ webhookEndpoints }) =>
    webhookEndpoints.deliveries("we_1", {}, aborted),
  "webhookEndpoints.deliveryPages": async ({ webhookEndpoints }) =>
    webhookEndpoints.deliveryPages("we_1", {}, 1, aborted).next(),
  "webhookEndpoints.delivery": async ({ webhookEndpoints }) =>
    webhookEndpoints.delivery("we_1", "del_1", aborted),
  "webhookEndpoints.recover": async ({ webhookEndpoints }) =>
    webhookEndpoints.recover("we_1", { since: 0 }, aborted),
  "webhookEndpoints.test": async ({ webhookEndpoints }) => webhookEndpoints.test("we_1", aborted),
  "listeners.start": async ({ listeners }) => listeners.start("we_1", {}, aborted),
  "checkout.findPayment": async ({ checkout }) =>
    checkout.findPayment("http://127.0.0.1:1/pay/abc", aborted),
  "checkout.pay": async ({ checkout }) =>
    checkout.pay(paymentWith({ status: "pending", redirect_url: "http://127.0.0.1:1/pay/abc" }), {
      testCard: "visa",
      ...aborted,
    }),
  "listeners.take": async ({ listeners }) => listeners.take("we_1", {}, aborted),
  "listeners.report": async ({ listeners }) =>
    listeners.report("we_1", { delivery: "del_1", delivered: true }, aborted),
  "sandbox.reset": async ({ sandbox }) => sandbox.reset(aborted),
  "sandbox.createAccount": async ({ sandbox }) => sandbox.createAccount("Shop", aborted),
  "sandbox.clock": async ({ sandbox }) => sandbox.clock(aborted),
  "sandbox.advance": async ({ sandbox }) => sandbox.advance("25h", aborted),
  "sandbox.advanceTo": async ({ sandbox }) => sandbox.advanceTo(1_800_000_000, aborted),
  "sandbox.fault": async ({ sandbox }) => sandbox.fault({ on: "*", do: "disconnect" }, aborted),
  "sandbox.faults": async ({ sandbox }) => sandbox.faults(aborted),
  "sandbox.clearFaults": async ({ sandbox }) => sandbox.clearFaults(aborted),
  "sandbox.requests": async ({ sandbox }) => sandbox.requests(aborted),
};

describe("every call can be aborted", () => {
  test.each(Object.entries(calls))("%s", async (_, call) => {
    const server = await scriptedServer(json(200, {}));
    await expect(call(service.client({ baseUrl: server.url }))).rejects.toThrow(InterruptedError);
    expect(server.requests).toEqual([]);
  });

  test("this table has every call of the client", () => {
    const client = service.client({ baseUrl: "http://127.0.0.1:1" });
    const names = Object.entries(client).flatMap(([group, members]) =>
      Object.keys(members as object).map((name) => `${group}.${name}`),
    );
    expect(Object.keys(calls).toSorted()).toEqual(names.toSorted());
  });
});

describe("a client that is closed", () => {
  test("while a call waits for its next attempt throws the error of the last one", async () => {
    const { transport, sent, waits } = createRefusingTransport(429, "rate_limit_exceeded");
    const client = service.client({ baseUrl: transport });
    const call = client.payments.create(body, { idempotencyKey: "order-1" });
    const error = call.catch((reason: unknown) => reason);
    await waits;
    await client.close();
    expect(await error).toMatchObject({
      code: "rate_limit_exceeded",
      outcomeUnknown: false,
      idempotencyKey: "order-1",
    });
    expect(sent()).toBe(1);
  });

  test("sends nothing any more, even if it had sent nothing before", async () => {
    const server = await scriptedServer(json(201, paymentWith()));
    const client = service.client({ baseUrl: server.url });
    await client.close();
    await expect(client.payments.create(body)).rejects.toMatchObject({
      name: "PaymentsError",
      message: "The client is closed.",
      outcomeUnknown: false,
      retryable: false,
    });
    expect(server.requests).toEqual([]);
  });
});
