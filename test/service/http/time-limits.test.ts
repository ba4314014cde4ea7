import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { defaultTimeLimits, type TimeLimits } from "../../../src/service/http/http-server.ts";
import { bodyWith } from "../../testkit/api-objects.ts";
import { type Around, openApp, openAppForTest, refusalOf } from "../../testkit/app/open-app.ts";
import { rawConnection } from "../../testkit/sockets/raw-sockets.ts";

/** Longer than any test may take: a connection that is cut was cut by another limit. */
const neverMs = 3_600_000;

/** A listening service with other time limits, and the headers of a request with a body. */
async function listenWith(timeLimits: Partial<TimeLimits>, around?: Around) {
  const opened = await openApp({ ...around, app: { timeLimits } });
  const url = await opened.app.listen({ host: "127.0.0.1", port: 0 });
  const open: { close: () => void }[] = [];
  onTestFinished(async () => {
    for (const { close } of open) close();
    await opened.close();
  });
  const connect = async () => {
    const connection = await rawConnection(url);
    open.push(connection);
    return connection;
  };
  const head = [
    "POST /v1/payments HTTP/1.1",
    "Host: x",
    `Authorization: Bearer ${opened.keys.test}`,
    "Content-Type: application/json",
  ].join("\r\n");
  const { server } = opened.app;
  const connections = promisify(server.getConnections.bind(server));
  return { connect, head, connections };
}

/** Sends a byte every 100 ms, so that the connection is never idle. */
async function trickle(send: (text: string) => void, ended: Promise<string>): Promise<void> {
  const over = ended.then(() => "over");
  while ((await Promise.race([over, delay(100)])) !== "over") send("x");
}

const timedOut = { status: 408, code: "request_timeout", param: null };

describe("the time to send a request", () => {
  test.each([
    ["a body that stops", false],
    ["a body that trickles", true],
  ])("is limited for the whole request: %s is closed", async (_, isTrickling) => {
    const requestMs = 1_000;
    const { connect, head } = await listenWith({ headersMs: 100, requestMs });
    const connection = await connect();
    const startMs = performance.now();
    connection.send(`${head}\r\nContent-Length: 1000\r\n\r\n{`);
    if (isTrickling) void trickle(connection.send, connection.ended);
    expect(refusalOf(await connection.answer())).toEqual(timedOut);
    await connection.ended;
    expect(performance.now() - startMs).toBeGreaterThan(requestMs - 100); // not by the headers' limit
  });

  test.each([
    ["a connection that stays silent", () => "", false],
    ["a request line that is not finished", () => "GET /v1/pay", false],
    ["headers that never end", (head: string) => `${head}\r\nX-Slow: `, true],
    ["headers that only lack their end", (head: string) => head, false],
  ])("is limited for the headers: %s is closed", async (_, sent, isTrickling) => {
    const { connect, head } = await listenWith({ headersMs: 100, requestMs: neverMs });
    const connection = await connect();
    connection.send(sent(head));
    if (isTrickling) void trickle(connection.send, connection.ended);
    const answer = await connection.answer();
    expect(refusalOf(answer)).toEqual(timedOut);
    expect(answer.headers["connection"]).toBe("close");
    await connection.ended;
  });

  test("does not include idle time between two requests", async () => {
    const { connect } = await listenWith({ headersMs: 200, requestMs: 400 });
    const idle = await connect();
    const request = "GET /docs/errors HTTP/1.1\r\nHost: x\r\n\r\n";
    idle.send(request);
    expect((await idle.answer()).status).toBe(200);
    await (
      await connect()
    ).ended; // a later connection without a request is cut by now
    idle.send(request);
    expect((await idle.answer()).status).toBe(200);
  });

  test("does not include the service's own work", async () => {
    const { promise: gate, resolve: release } = Promise.withResolvers<void>();
    const store: Around["store"] = (real) => ({
      ...real,
      createPayment: async (write) => gate.then(async () => real.createPayment(write)),
    });
    const { connect, head } = await listenWith({ headersMs: 200, requestMs: 400 }, { store });
    const waiting = await connect();
    const body = JSON.stringify(bodyWith({}));
    waiting.send(`${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    const slow = await connect();
    slow.send(`${head}\r\nContent-Length: 1000\r\n\r\n{`);
    await slow.ended; // a later connection reaches the limit for the whole request
    release();
    expect((await waiting.answer()).status).toBe(201);
  });
});

describe("the time after which a response counts as stalled", () => {
  test("ends the connection of a client that does not read, and its queued requests are not handled", async () => {
    let lists = 0;
    const store: Around["store"] = (real) => ({
      ...real,
      listPayments: async () => {
        lists++;
        return { items: [`"${"x".repeat(1024 * 1024)}"`], hasMore: false };
      },
    });
    const { connect, head, connections } = await listenWith({ stalledMs: 300 }, { store });
    const connection = await connect();
    connection.socket.pause();
    connection.send(`${head.replace("POST", "GET")}\r\n\r\n`.repeat(50));
    await expect.poll(() => lists).toBeGreaterThan(0);
    await expect.poll(async () => connections()).toBe(0);
    expect(lists).toBeLessThan(50); // the system buffers a few responses, the service one
  });

  test("does not cut a client that reads a large response", async () => {
    const text = "x".repeat(5 * 1024 * 1024);
    const store: Around["store"] = (real) => ({
      ...real,
      listPayments: async () => ({ items: [`"${text}"`], hasMore: false }),
    });
    const { connect, head } = await listenWith({}, { store });
    const connection = await connect();
    connection.send(`${head.replace("POST", "GET")}\r\n\r\n`);
    const answer = await connection.answer();
    expect(JSON.parse(answer.text)).toMatchObject({ data: [text] });
  });
});

test("the default limits are those of the documentation", async () => {
  const { app } = await openAppForTest();
  expect(app.server.headersTimeout).toBe(5_000);
  expect(app.server.requestTimeout).toBe(15_000);
  expect(defaultTimeLimits).toEqual({ headersMs: 5_000, requestMs: 15_000, stalledMs: 15_000 });
});
