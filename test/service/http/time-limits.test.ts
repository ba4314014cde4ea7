import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bodyWith } from "../../contract/create-payment-body.ts";
import { openApp } from "./open-app.ts";
import { rawConnection } from "./raw-connection.ts";
import { refusalOf } from "./refusal-of.ts";

const { promise: gate, resolve: release } = Promise.withResolvers<void>();
const { app, call, keys, close } = await openApp({
  store: (real) => ({
    ...real,
    createPayment: async (write) => {
      if (write.idempotency) await gate;
      return real.createPayment(write);
    },
  }),
});
let url = "";
beforeAll(async () => {
  url = await app.listen({ host: "127.0.0.1", port: 0 });
});
afterAll(async () => {
  release();
  await close();
});

const head = [
  "POST /v1/payments HTTP/1.1",
  "Host: x",
  `Authorization: Bearer ${keys.test}`,
  "Content-Type: application/json",
  "Content-Length: 1000",
].join("\r\n");

/** Sends a piece every half second, so that the connection is never silent for long. */
async function trickle(send: (text: string) => void, ended: Promise<string>): Promise<void> {
  const over = ended.then(() => "over");
  while ((await Promise.race([over, delay(500)])) !== "over") send("x");
}

// They run five at a time, the longest first; the upper bounds are wide for a busy machine.
describe.concurrent("the time to send a request", { timeout: 60_000 }, () => {
  const timedOut = { status: 408, code: "request_timeout", param: null };

  test.for<[string, boolean]>([
    ["a body that stops", false],
    ["a body that trickles", true],
  ])("is 15 s for all of it: %s is closed", async ([, isTrickling]) => {
    const startMs = performance.now();
    const connection = await rawConnection(url);
    connection.send(`${head}\r\n\r\n{`);
    if (isTrickling) void trickle(connection.send, connection.ended);
    const answer = await connection.answer();
    expect(refusalOf(answer)).toEqual(timedOut);
    await connection.ended;
    const tookMs = performance.now() - startMs;
    expect(tookMs).toBeGreaterThan(14_500);
    expect(tookMs).toBeLessThan(45_000);
  });

  test.for<[string, string, boolean]>([
    ["a connection that stays silent", "", false],
    ["a request line that is not finished", "GET /v1/pay", false],
    ["headers that never end", `${head}\r\nX-Slow: `, true],
    ["headers that only lack their end", head, false],
  ])("is 5 s for the headers: %s is closed", async ([, sent, isTrickling]) => {
    const startMs = performance.now();
    const connection = await rawConnection(url);
    if (sent) connection.send(sent);
    if (isTrickling) void trickle(connection.send, connection.ended);
    const answer = await connection.answer();
    expect(refusalOf(answer)).toEqual(timedOut);
    expect(answer.headers["connection"]).toBe("close");
    await connection.ended;
    const tookMs = performance.now() - startMs;
    expect(tookMs).toBeGreaterThan(4_500);
    expect(tookMs).toBeLessThan(14_000);
  });

  test("does not run while a connection rests between two requests", async () => {
    const connection = await rawConnection(url);
    const request = "GET /docs/errors HTTP/1.1\r\nHost: x\r\n\r\n";
    connection.send(request);
    expect((await connection.answer()).status).toBe(200);
    await delay(8_000);
    connection.send(request);
    expect((await connection.answer()).status).toBe(200);
    connection.close();
  });

  test("is not the service's own: one that works longer than 5 s answers", async () => {
    const request = { method: "POST", headers: { "idempotency-key": "slow" }, body: bodyWith({}) };
    const both = [call(request), call(request)]; // either may be the first one
    const second = await Promise.race(both);
    expect(refusalOf(second)).toEqual({ status: 409, code: "idempotency_key_in_use", param: null });
    expect(Number(second.headers["retry-after"])).toBeGreaterThan(0);
    release();
    const statuses = (await Promise.all(both)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([201, 409]));
    expect((await call(request)).headers["idempotent-replayed"]).toBe("true");
  });
});

test("the limits themselves are those that the documentation names", () => {
  expect(app.server.headersTimeout).toBe(5_000);
  expect(app.server.requestTimeout).toBe(15_000);
});
