import { describe, expect, test, vi } from "vitest";
import { InterruptedError } from "../../src/client/errors.ts";
import { httpTransport } from "../../src/client/transport.ts";
import { body, runningService } from "./running-service.ts";
import {
  json,
  paymentWith,
  refusal,
  scriptedServer,
  silence,
  silenceUntil,
} from "./scripted-server.ts";

const service = runningService();
const patient = { timeoutMs: Number.POSITIVE_INFINITY };

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
    const baseUrl = httpTransport(server.url, { connections: 1, maxAnswerBytes: 1024 });
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
    const server = await scriptedServer(
      refusal(503, "service_unavailable", { "retry-after": "30" }),
    );
    const { payments } = service.client({ baseUrl: server.url });
    const giving = new AbortController();
    const call = payments.create(body, { idempotencyKey: "order-1", signal: giving.signal });
    const error = call.catch((reason: unknown) => reason);
    await expect.poll(() => server.requests.length).toBe(1);
    giving.abort();
    expect(await error).toMatchObject({ sent: false, outcomeUnknown: true });
    expect(server.requests).toHaveLength(1);
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
    const waiting = payments.settled(pending, 30_000, giving.signal);
    const error = waiting.catch((reason: unknown) => reason);
    await expect.poll(() => server.requests.length).toBeGreaterThan(0);
    giving.abort();
    expect(await error).toMatchObject({ name: "InterruptedError", outcomeUnknown: false });
  });
});

describe("a client that is closed", () => {
  test("while a call waits for its next try tells why the last one failed", async () => {
    const server = await scriptedServer(
      refusal(429, "rate_limit_exceeded", { "retry-after": "30" }),
    );
    const waits = Promise.withResolvers<void>();
    vi.spyOn(Math, "random").mockImplementationOnce(() => {
      waits.resolve(); // it is about to wait, and asks for how long
      return 0;
    });
    const client = service.client({ baseUrl: server.url });
    const call = client.payments.create(body, { idempotencyKey: "order-1" });
    const error = call.catch((reason: unknown) => reason);
    await waits.promise;
    await client.close();
    expect(await error).toMatchObject({
      code: "rate_limit_exceeded",
      outcomeUnknown: false,
      idempotencyKey: "order-1",
    });
    expect(server.requests).toHaveLength(1);
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
