import { beforeEach, describe, expect, test, vi } from "vitest";
import { PaymentsClient } from "../../src/client/client.ts";
import { createHttpTransport } from "../../src/client/transport.ts";
import { body } from "../testkit/client/running-service.ts";
import {
  half,
  json,
  paymentWith,
  scriptedServer,
  silence,
  silenceUntil,
  type Answer,
} from "../testkit/client/scripted-server.ts";

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
  const patient = new PaymentsClient({ ...options, timeoutMs: 20_000 });
  const hasty = new PaymentsClient({ ...options, timeoutMs: 100 });

  const connections = 32;
  const first = Array.from({ length: connections }, async () => patient.payments.create(body));
  await expect.poll(() => server.requests.length).toBe(connections);
  const timedOut = Array.from({ length: 8 }, async () => hasty.payments.create(body));
  const ended = await Promise.allSettled(timedOut);
  expect(ended.filter(({ status }) => status === "fulfilled")).toEqual([]);

  gate.resolve();
  await Promise.all(first);
  await patient.payments.create(body); // it waits behind those that timed out
  expect(server.requests).toHaveLength(connections + 1);
  await patient.close();
});

test("waiting for an outcome ends although the service no longer responds", async () => {
  const { payments } = await createClient({ timeoutMs: 60_000, maxRetries: 3 }, silence);
  const pending = paymentWith({ status: "pending" });
  expect(await payments.settled(pending, 200)).toBe(pending);
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

test("an invalid idempotency key is refused before anything is sent", async () => {
  const { payments, server } = await createClient({ timeoutMs: 1_000, maxRetries: 0 }, silence);
  const creating = payments.create(body, { idempotencyKey: "two\nlines" });
  await expect(creating).rejects.toThrow(TypeError);
  expect(server.requests).toEqual([]);
});
