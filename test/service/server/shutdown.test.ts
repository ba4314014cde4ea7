import { EventEmitter } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createReadiness } from "../../../src/service/server/open-front.ts";
import { createStopper } from "../../../src/service/server/listen-on-port.ts";
import { bodyWith } from "../../testkit/api-objects.ts";
import { rawConnection } from "../../testkit/sockets/raw-sockets.ts";
import { listening, requestJson } from "../../testkit/client/running-service.ts";

/** Longer than any test may take: a test fails if its service waits for this time. */
const neverMs = 3_600_000;

async function refusesConnections(url: string): Promise<boolean> {
  const connection = await rawConnection(url).catch(() => undefined);
  connection?.close();
  return connection === undefined;
}

/** Sends the headers of a request, and waits for the server's 100 Continue. */
async function beginPayment(server: { url: string; key: string }, contentLength: number) {
  const connection = await rawConnection(server.url);
  const head = [
    "POST /v1/payments HTTP/1.1",
    "Host: x",
    `Authorization: Bearer ${server.key}`,
    "Content-Type: application/json",
    `Content-Length: ${contentLength}`,
    "Expect: 100-continue",
  ];
  connection.send(`${head.join("\r\n")}\r\n\r\n`);
  expect((await connection.answer()).status).toBe(100);
  return connection;
}

test("a stopping server does not wait for requests of a cut connection", async () => {
  const server = createServer({ shouldUpgradeCallback: () => true });
  server.on("upgrade", (_request, socket) => socket.destroy()); // as the service does when a client sends too much
  const stop = createStopper(server, neverMs);
  let requests = 0;
  server.on("request", () => requests++); // never answered
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const cut = await rawConnection(`http://127.0.0.1:${port}`);
  const head = "GET / HTTP/1.1\r\nHost: x\r\n";
  const upgrade = "Connection: Upgrade\r\nUpgrade: other\r\n";
  cut.send(`${head}\r\n${head}\r\n${head}${upgrade}\r\n`);
  await cut.ended;
  expect(requests).toBe(2);
  const silent = await rawConnection(`http://127.0.0.1:${port}`);
  await stop(promisify(server.close.bind(server)));
  expect(await silent.ended).toBe("");
});

test("a stopping server answers all pipelined requests", async () => {
  const server = createServer();
  const stop = createStopper(server, neverMs);
  const responses: ServerResponse[] = [];
  server.on("request", (_request, response) => responses.push(response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const connection = await rawConnection(`http://127.0.0.1:${port}`);
  const head = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  connection.send(head + head);
  await expect.poll(() => responses.length).toBe(2);
  const stopping = stop(promisify(server.close.bind(server)));
  for (const response of responses) {
    response.end();
    expect((await connection.answer()).status).toBe(200);
  }
  await stopping;
});

describe("closing a service", () => {
  test("finishes the requests in flight, then closes their connections", async () => {
    const server = await listening({}, { finishMs: neverMs });
    const body = JSON.stringify(bodyWith({}));
    const late = await rawConnection(server.url);
    late.send(`GET /v1/payments HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.key}\r\n`);
    const connection = await beginPayment(server, body.length); // by then, the earlier bytes have been read
    connection.send(body.slice(0, 10));
    let isClosed = false;
    const closing = server.close().then(() => (isClosed = true));
    await expect.poll(async () => refusesConnections(server.url)).toBe(true);
    late.send("\r\n");
    expect(await late.answer()).toMatchObject({ status: 200, headers: { connection: "close" } });
    expect(await late.ended).toBe("");
    expect(isClosed).toBe(false);
    connection.send(body.slice(10));
    const answer = await connection.answer();
    expect(answer).toMatchObject({ status: 201, headers: { connection: "close" } });
    expect(await connection.ended).toBe("");
    await closing;
  });

  test("answers on connections in the system's queue, and closes them", async () => {
    const server = await listening({}, { finishMs: neverMs });
    // The system queues them at once; the server accepts one a turn, and no turn has passed yet.
    const connecting = Array.from({ length: 50 }, async () => {
      const connection = await rawConnection(server.url);
      connection.send("GET /v1/payments HTTP/1.1\r\nHost: x\r\n\r\n");
      return connection;
    });
    const closing = server.close();
    for (const connection of await Promise.all(connecting)) {
      const { status, headers } = await connection.answer();
      expect({ status, connection: headers["connection"] }).toEqual({
        status: 401,
        connection: "close",
      });
      await connection.ended;
    }
    await closing;
  });

  test.each([
    ["that is idle between two requests", "GET /docs/errors HTTP/1.1\r\nHost: x\r\n\r\n", true],
    ["without a request", "", false],
    ["with incomplete headers", "GET /docs/err", false],
  ])("does not wait for a connection %s", async (_, sent, isAnswered) => {
    const server = await listening({}, { finishMs: neverMs });
    const connection = await rawConnection(server.url);
    if (sent) connection.send(sent);
    if (isAnswered) await connection.answer();
    await server.close();
    expect(await connection.ended).toBe("");
  });

  test("cuts unfinished requests after the timeout", async () => {
    const server = await listening({}, { finishMs: 100 });
    const connection = await beginPayment(server, 1_000);
    connection.send("{");
    await server.close();
    expect(await connection.ended).toBe("");
  });
});

async function fetchReadiness(url: string): Promise<object> {
  const answer = await fetch(`${url}/readyz`);
  return { status: answer.status, body: await answer.json() };
}

describe("a service that shuts down", () => {
  const ending = { status: 503, body: { status: "unready", reason: "shutting_down" } };

  test("reports it to the next probe, and serves requests until then", async () => {
    const server = await listening({}, { probeWaitMs: neverMs });
    expect(await fetchReadiness(server.url)).toEqual({ status: 200, body: { status: "ready" } });
    let isClosed = false;
    const closing = server.close().then(() => (isClosed = true));
    for (let calls = 0; calls < 3; calls++) {
      expect(await requestJson(server, "/v1/payments", bodyWith({}))).toMatchObject({
        status: "succeeded",
      });
    }
    expect(isClosed).toBe(false);
    expect(await fetchReadiness(server.url)).toEqual(ending);
    await closing;
    expect(await refusesConnections(server.url)).toBe(true);
  });

  test("reports it on the metrics port until all requests in flight are finished", async () => {
    const server = await listening({ metricsPort: 0 }, { finishMs: neverMs });
    const metricsUrl = server.metricsUrl ?? "";
    const body = JSON.stringify(bodyWith({}));
    const connection = await beginPayment(server, body.length);
    connection.send(body.slice(0, 10));
    const closing = server.close();
    await expect.poll(async () => refusesConnections(server.url)).toBe(true);
    expect(await fetchReadiness(metricsUrl)).toEqual(ending);
    expect((await fetch(`${metricsUrl}/healthz`)).status).toBe(200);
    expect((await fetch(`${metricsUrl}/metrics`)).status).toBe(200);
    connection.send(body.slice(10));
    expect((await connection.answer()).status).toBe(201);
    await closing;
    expect(await refusesConnections(metricsUrl)).toBe(true);
  });

  test("waits for a probe only for a limited time", async () => {
    const server = await listening({}, { probeWaitMs: 100 });
    await fetchReadiness(server.url);
    await server.close();
    expect(await refusesConnections(server.url)).toBe(true);
  });

  test("does not wait if there were no readiness probes", async () => {
    const server = await listening({}, { probeWaitMs: neverMs });
    await fetch(`${server.url}/healthz`);
    await requestJson(server, "/v1/payments");
    await server.close();
    expect(await refusesConnections(server.url)).toBe(true);
  });
});

/** Whether work is done just before a time has passed, and just after it. */
async function checkAround(timeMs: number, isDone: () => boolean): Promise<boolean[]> {
  await vi.advanceTimersByTimeAsync(timeMs - 1);
  const before = isDone();
  await vi.advanceTimersByTimeAsync(2);
  return [before, isDone()];
}

describe("by default", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test("the service waits 5 s for a probe", async () => {
    vi.useFakeTimers();
    const { unreadyReason, end } = createReadiness(async () => "ready");
    await unreadyReason();
    let isOver = false;
    void end().then(() => (isOver = true));
    expect(await checkAround(5_000, () => isOver)).toEqual([false, true]);
  });

  test("requests in flight are cut after 10 s", async () => {
    vi.useFakeTimers();
    const server = createServer();
    const cut = vi.spyOn(server, "closeAllConnections");
    const stop = createStopper(server);
    const socket = new EventEmitter();
    server.emit("request", { socket }, new EventEmitter()); // never answered
    const closed = Promise.withResolvers<void>();
    const stopping = stop(async () => closed.promise);
    expect(await checkAround(10_000, () => cut.mock.calls.length > 0)).toEqual([false, true]);
    closed.resolve();
    await stopping;
  });
});
