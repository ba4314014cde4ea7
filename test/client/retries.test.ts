import { createServer as createHttpServer } from "node:http";
import { createServer, type AddressInfo } from "node:net";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { ApiError, ConnectionError } from "../../src/client/errors.ts";
import { openUntilFileEnds } from "../testkit/open-until-file-ends.ts";
import { freePort } from "../testkit/sockets/tcp-proxy.ts";
import { listWith, paymentWith } from "../testkit/api-objects.ts";
import { newCertificate, serveOverTls } from "../testkit/sockets/certificates.ts";
import { body, runningService } from "../testkit/client/running-service.ts";
import {
  type Answer,
  drop,
  envelopeError,
  forward,
  forwardAndDrop,
  json,
  refusal,
  scriptedServer,
  text,
} from "../testkit/client/scripted-server.ts";

const service = runningService();
const atOnce = { "retry-after": "0" };

beforeEach(() => {
  vi.spyOn(Math, "random").mockReturnValue(0); // the minimum backoff
});

async function createClient(...answers: Answer[]) {
  const server = await scriptedServer(...answers);
  const client = service.client({ baseUrl: server.url });
  return { ...client, server };
}

describe("a write that fails", () => {
  const failures: [string, Answer][] = [
    ["a connection dropped before anything was done", drop],
    [
      "a connection dropped after the work was done",
      (...call) => forwardAndDrop(service.url)(...call),
    ],
    ["HTTP 429", refusal(429, "rate_limit_exceeded", atOnce)],
    ["a gateway's HTTP 502 page", text(502, "<h1>Bad Gateway</h1>")],
  ];
  test.each(failures)("is retried after %s, and has its effect once", async (_, failure) => {
    const reference = `order-${Math.floor(performance.now() * 1000)}`;
    const { payments, server } = await createClient(failure, failure, forward(service.url));
    const payment = await payments.create({ ...body, description: reference });

    expect(server.requests).toHaveLength(3);
    const keys = server.requests.map(({ headers }) => headers["idempotency-key"]);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(keys).size).toBe(1);
    expect(new Set(server.requests.map((request) => request.body)).size).toBe(1);
    const { data } = await service.client().payments.list({ limit: 100 });
    expect(data.filter(({ description }) => description === reference)).toEqual([payment]);
  });

  test.each<[string, boolean, Answer[]]>([
    ["was refused at the first attempt", false, [refusal(401, "invalid_api_key")]],
    ["was dropped", true, [drop]],
    ["was dropped, then refused", true, [drop, refusal(401, "invalid_api_key")]],
    [
      "met an internal error, then a limit",
      true,
      [refusal(500, "internal_error", atOnce), refusal(429, "rate_limit_exceeded", atOnce)],
    ],
    ["met limits only", false, [refusal(429, "rate_limit_exceeded", atOnce)]],
  ])(
    "records whether it may have had its effect when it %s: %s",
    async (_, outcomeUnknown, answers) => {
      const { payments } = await createClient(...answers);
      await expect(payments.create(body)).rejects.toMatchObject({ outcomeUnknown });
      await expect(payments.list()).rejects.toMatchObject({ outcomeUnknown: false });
    },
  );

  test("sends the caller's idempotency key with every attempt, also for a refund", async () => {
    const { payments, server } = await createClient(
      forwardAndDrop(service.url),
      forward(service.url),
      forwardAndDrop(service.url),
      forward(service.url),
    );
    const { id } = await payments.create(body, { idempotencyKey: "pay-once" });
    const refunded = await payments.refund(id, { idempotencyKey: "refund-once" });
    expect(refunded.status).toBe("refunded");
    expect(server.requests.map(({ headers }) => headers["idempotency-key"])).toEqual([
      "pay-once",
      "pay-once",
      "refund-once",
      "refund-once",
    ]);
  });
});

test("a write is retried with the same body although the caller has changed the object", async () => {
  const order = { ...body, amount: 4999 };
  const change: Answer = (...call) => {
    order.amount = 1;
    drop(...call);
  };
  const { payments, server } = await createClient(change, json(201, paymentWith()));
  await payments.create(order);
  expect(server.requests.map((request) => JSON.parse(request.body) as unknown)).toEqual([
    { ...body, amount: 4999 },
    { ...body, amount: 4999 },
  ]);
});

describe("a body that cannot be sent", () => {
  const ring: Record<string, string> = {};
  Object.assign(ring, { ring });
  test.each<[string, object]>([
    ["a BigInt", { amount: 4999n }],
    ["a circular object", { metadata: ring }],
  ])("is a TypeError, and nothing is sent: %s", async (_, part) => {
    const { payments, server } = await createClient(json(201, paymentWith()));
    await expect(payments.create({ ...body, ...part })).rejects.toThrow(TypeError);
    expect(server.requests).toEqual([]);
  });
});

test("a permanent error is not retried", async () => {
  const { payments, server } = await createClient(refusal(422, "payment_not_refundable", atOnce));
  await expect(payments.create(body)).rejects.toMatchObject({ status: 422, retryable: false });
  expect(server.requests).toHaveLength(1);
});

describe("when every attempt fails", () => {
  test("the last response is thrown after three retries, with the key to retry with", async () => {
    const { payments, server } = await createClient(
      refusal(500, "internal_error"),
      refusal(500, "internal_error"),
      refusal(500, "internal_error"),
      refusal(503, "service_unavailable"),
    );
    const error: unknown = await payments.create(body).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      status: 503,
      retryable: true,
      idempotencyKey: server.requests[0]?.headers["idempotency-key"],
    });
    expect(server.requests).toHaveLength(4);
  });

  test.each([
    [0, 1],
    [1, 2],
  ])("maxRetries %d is a limit", async (maxRetries, attempts) => {
    const server = await scriptedServer(
      ...Array.from({ length: attempts }, () => refusal(500, "internal_error", atOnce)),
      refusal(400, "one_too_many"),
    );
    const { payments } = service.client({ baseUrl: server.url, maxRetries });
    await expect(payments.list()).rejects.toMatchObject({ status: 500 });
    expect(server.requests).toHaveLength(attempts);
  });
});

describe("Retry-After", () => {
  test("delays the retry", async () => {
    const { payments } = await createClient(
      refusal(429, "rate_limit_exceeded", { "retry-after": "1" }),
      json(200, paymentWith()),
    );
    const startMs = performance.now();
    await payments.retrieve(paymentWith().id);
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(990);
  });

  test("beyond 60 s is thrown at once", async () => {
    const { payments, server } = await createClient(
      refusal(429, "rate_limit_exceeded", { "retry-after": "61" }),
    );
    await expect(payments.create(body, { idempotencyKey: "k" })).rejects.toMatchObject({
      status: 429,
      retryable: true,
      retryAfterMs: 61_000,
      idempotencyKey: "k",
    });
    expect(server.requests).toHaveLength(1);
  });
});

describe("a client that waits for rate limits", () => {
  test("counts them as no retry, between failures too", async () => {
    const limit = refusal(429, "rate_limit_exceeded", atOnce);
    const busy = refusal(503, "service_unavailable", atOnce);
    const answers = [limit, limit, limit, busy, limit, json(200, paymentWith())];
    const server = await scriptedServer(...answers);
    const client = service.client({ baseUrl: server.url, maxRetries: 1, waitsForRateLimits: true });
    await client.payments.retrieve(paymentWith().id);
    expect(server.requests).toHaveLength(answers.length);
  });

  test("gives up a limit of more than an hour, and other failures as ever", async () => {
    const server = await scriptedServer(
      refusal(429, "rate_limit_exceeded", { "retry-after": "3601" }),
      refusal(503, "service_unavailable", { "retry-after": "61" }),
    );
    const client = service.client({ baseUrl: server.url, waitsForRateLimits: true });
    for (const status of [429, 503]) {
      const failing = client.payments.retrieve(paymentWith().id);
      await expect(failing).rejects.toMatchObject({ status });
    }
    expect(server.requests).toHaveLength(2);
  });
});

describe("a connection that this machine refuses", () => {
  test.each(["127.0.0.1", "localhost", "shop.localhost", "[::1]"])(
    "is tried again for half a second at most: %s",
    { timeout: 60_000 },
    async (host) => {
      vi.spyOn(Math, "random").mockReturnValue(1); // else it would be tried again for minutes
      const baseUrl = (await closedUrl()).replace("127.0.0.1", host);
      const { payments } = service.client({ baseUrl, maxRetries: 50 });
      await expect(payments.list()).rejects.toMatchObject({
        name: "ConnectionError",
        nothingListens: true,
        retryable: true,
      });
    },
  );

  test("leaves the retries of what the service then answers as they are", async () => {
    const port = await freePort();
    const answers = [503, 503, 200];
    const starting = createHttpServer((_, response) => {
      const headers = { "content-type": "application/json", "retry-after": "1" };
      const status = answers.shift() ?? 200;
      response.writeHead(status, headers);
      response.end(
        JSON.stringify(status === 200 ? listWith("/v1/payments") : { error: envelopeError }),
      );
    });
    openUntilFileEnds(() => starting.close());
    vi.spyOn(Math, "random").mockImplementation(() => {
      if (!starting.listening) starting.listen(port, "127.0.0.1"); // after the first attempt
      return 0.5;
    });
    const { payments } = service.client({ baseUrl: `http://127.0.0.1:${port}`, maxRetries: 3 });
    expect((await payments.list()).data).toEqual([]);
  });
});

describe("a write of which nothing was ever sent", () => {
  const untrusted = newCertificate("localhost");
  const addresses: [what: string, url: () => Promise<string>, message: RegExp][] = [
    ["nothing listens there", closedUrl, /ECONNREFUSED/],
    ["the name does not resolve", async () => "https://nowhere.invalid", /ENOTFOUND|EAI_AGAIN/],
    [
      "the certificate is not trusted",
      async () => `https://localhost:${await serveOverTls(untrusted, () => {})}`,
      /self-signed/,
    ],
    [
      "http is spoken there",
      async () => (await scriptedServer(drop)).url.replace("http:", "https:"),
      /TLS/,
    ],
    ["the connection ends before the handshake does", hangUpUrl, /TLS|ECONNRESET/],
  ];
  test.each(addresses)("has a known outcome, and no key to repeat: %s", async (_, url, message) => {
    const { payments } = service.client({ baseUrl: await url(), maxRetries: 1 });
    const error: unknown = await payments
      .create(body, { idempotencyKey: "k" })
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({
      message: expect.stringMatching(
        /^The service did not answer: .+\. Nothing was sent\.$/,
      ) as unknown,
      sent: false,
      outcomeUnknown: false,
      idempotencyKey: undefined,
      retryable: true,
    });
    expect((error as Error).message).toMatch(message);
    expect((error as Error).cause).toBeInstanceOf(Error);
  });

  test("is not one whose first attempt was sent, and whose last was refused", async () => {
    const server = await scriptedServer(async (response, request) => {
      drop(response, request);
      await server.close();
    });
    const { payments } = service.client({ baseUrl: server.url, maxRetries: 1 });
    await expect(payments.create(body, { idempotencyKey: "k" })).rejects.toMatchObject({
      name: "ConnectionError",
      message: expect.stringMatching(/ECONNREFUSED[^A-Z]+$/) as unknown,
      sent: false,
      outcomeUnknown: true,
      idempotencyKey: "k",
    });
    expect(server.requests).toHaveLength(1);
  });
});

/** The address of a server that has been closed. */
async function closedUrl(): Promise<string> {
  const { url, close } = await scriptedServer();
  await close();
  return url;
}

/** The address of a server that ends every connection. */
async function hangUpUrl(): Promise<string> {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  openUntilFileEnds(() => server.close());
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
