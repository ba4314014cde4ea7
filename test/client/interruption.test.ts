import { describe, expect, test, vi } from "vitest";
import type { PaymentsClient } from "../../src/client/client.ts";
import { InterruptedError } from "../../src/client/errors.ts";
import { createHttpTransport, type Transport } from "../../src/client/transport.ts";
import { body, runningService } from "../testkit/client/running-service.ts";
import {
  envelopeError,
  json,
  paymentWith,
  scriptedServer,
  silence,
  silenceUntil,
} from "../testkit/client/scripted-server.ts";

const service = runningService();
const patient = { timeoutMs: Number.POSITIVE_INFINITY };

/** What refuses each try and asks to wait; `waits` resolves once a client is about to. */
function refusing(status: number, code: string) {
  const { promise: waits, resolve } = Promise.withResolvers<void>();
  let sent = 0;
  // How long it waits is partly chance. The service that runs beside it asks for that, too.
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

describe("a call that is given up", () => {
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

  test("while it is under way names its key: the outcome is unknown", async () => {
    const server = await scriptedServer(silence);
    const { payments } = service.client({ baseUrl: server.url });
    const giving = new AbortController();
    const call = payments.create(body, { idempotencyKey: "order-1", signal: giving.signal });
    const error = call.catch((reason: unknown) => reason);
    await expect.poll(() => server.requests.length).toBe(1);
    giving.abort();
    expect(await error).toMatchObject({
      sent: true,
      outcomeUnknown: true,
      idempotencyKey: "order-1",
      retryable: false,
    });
    expect(server.requests).toHaveLength(1);
  });

  test("while it is under way lets go of its connection", async () => {
    const gone = Promise.withResolvers<void>();
    const server = await scriptedServer(silenceUntil(gone.resolve));
    const { payments } = service.client({ baseUrl: server.url, ...patient });
    const giving = new AbortController();
    const call = payments.create(body, { signal: giving.signal });
    const error = call.catch((reason: unknown) => reason);
    await expect.poll(() => server.requests.length).toBe(1);
    giving.abort();
    expect(await error).toMatchObject({ sent: true });
    await gone.promise;
  });

  test("while it waits for its turn is never sent", async () => {
    const server = await scriptedServer(silence, json(201, paymentWith()));
    const baseUrl = createHttpTransport(server.url, { connections: 1, maxResponseBytes: 1024 });
    const { payments } = service.client({ baseUrl, ...patient });
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

  test("between two tries is not tried again", async () => {
    const { transport, sent, waits } = refusing(503, "service_unavailable");
    const { payments } = service.client({ baseUrl: transport });
    const giving = new AbortController();
    const call = payments.create(body, { idempotencyKey: "order-1", signal: giving.signal });
    const error = call.catch((reason: unknown) => reason);
    await waits;
    giving.abort();
    expect(await error).toMatchObject({ sent: false, outcomeUnknown: true });
    expect(sent()).toBe(1);
  });

  test("leaves no listener behind when it has its answer", async () => {
    const server = await scriptedServer(json(201, paymentWith()));
    const { payments } = service.client({ baseUrl: server.url });
    const giving = new AbortController();
    await payments.create(body, { signal: giving.signal });
    giving.abort();
    expect(server.requests).toHaveLength(1);
  });

  test("ends the waiting for an outcome", async () => {
    const pending = paymentWith({ status: "pending" });
    const server = await scriptedServer(json(200, pending));
    const { payments } = service.client({ baseUrl: server.url });
    const giving = new AbortController();
    const waiting = payments.settled(pending, 30_000, giving);
    const error = waiting.catch((reason: unknown) => reason);
    await expect.poll(() => server.requests.length).toBeGreaterThan(0);
    giving.abort();
    expect(await error).toMatchObject({ name: "InterruptedError", outcomeUnknown: false });
  });
});

const givenUp = { signal: AbortSignal.abort() };

/** Every call of the client, given up before it is made. */
const calls: Record<string, (client: PaymentsClient) => Promise<unknown>> = {
  "payments.create": async ({ payments }) => payments.create(body, givenUp),
  "payments.createHosted": async ({ payments }) => payments.createHosted(body, givenUp),
  "payments.retrieve": async ({ payments }) => payments.retrieve("pay_1", givenUp),
  "payments.list": async ({ payments }) => payments.list({}, givenUp),
  "payments.refund": async ({ payments }) => payments.refund("pay_1", givenUp),
  "payments.pages": async ({ payments }) => payments.pages({}, 1, givenUp).next(),
  "payments.all": async ({ payments }) => payments.all({}, givenUp).next(),
  "payments.settled": async ({ payments }) =>
    payments.settled(paymentWith({ status: "pending" }), 30_000, givenUp),
  "account.retrieve": async ({ account }) => account.retrieve(givenUp),
  "events.retrieve": async ({ events }) => events.retrieve("evt_1", givenUp),
  "events.list": async ({ events }) => events.list({}, givenUp),
  "events.resend": async ({ events }) => events.resend("evt_1", {}, givenUp),
  "events.pages": async ({ events }) => events.pages({}, 1, givenUp).next(),
  "events.all": async ({ events }) => events.all({}, givenUp).next(),
  "webhookEndpoints.create": async ({ webhookEndpoints }) =>
    webhookEndpoints.create({ url: "https://example.com/hooks" }, givenUp),
  "webhookEndpoints.retrieve": async ({ webhookEndpoints }) =>
    webhookEndpoints.retrieve("we_1", givenUp),
  "webhookEndpoints.list": async ({ webhookEndpoints }) => webhookEndpoints.list({}, givenUp),
  "webhookEndpoints.update": async ({ webhookEndpoints }) =>
    webhookEndpoints.update("we_1", {}, givenUp),
  "webhookEndpoints.roll": async ({ webhookEndpoints }) =>
    webhookEndpoints.roll("we_1", {}, givenUp),
  "webhookEndpoints.delete": async ({ webhookEndpoints }) =>
    webhookEndpoints.delete("we_1", givenUp),
  "webhookEndpoints.deliveries": async ({ webhookEndpoints }) =>
    webhookEndpoints.deliveries("we_1", {}, givenUp),
  "webhookEndpoints.deliveryPages": async ({ webhookEndpoints }) =>
    webhookEndpoints.deliveryPages("we_1", {}, 1, givenUp).next(),
  "listeners.start": async ({ listeners }) => listeners.start("we_1", {}, givenUp),
  "listeners.take": async ({ listeners }) => listeners.take("we_1", {}, givenUp),
  "listeners.report": async ({ listeners }) =>
    listeners.report("we_1", { delivery: "del_1", delivered: true }, givenUp),
};

describe("every call can be given up", () => {
  test.each(Object.entries(calls))("%s", async (_, call) => {
    const server = await scriptedServer(json(200, {}));
    await expect(call(service.client({ baseUrl: server.url }))).rejects.toThrow(InterruptedError);
    expect(server.requests).toEqual([]);
  });

  test("and none is missing here", () => {
    const client = service.client({ baseUrl: "http://127.0.0.1:1" });
    const names = Object.entries(client).flatMap(([group, members]) =>
      Object.keys(members as object).map((name) => `${group}.${name}`),
    );
    expect(Object.keys(calls).toSorted()).toEqual(names.toSorted());
  });
});

describe("a client that is closed", () => {
  test("while a call waits for its next try tells why the last one failed", async () => {
    const { transport, sent, waits } = refusing(429, "rate_limit_exceeded");
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

  test("sends nothing any more, also where it had sent nothing before", async () => {
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
