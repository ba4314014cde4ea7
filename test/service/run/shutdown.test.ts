import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { bodyWith } from "../../contract/create-payment-body.ts";
import { rawConnection } from "../http/raw-connection.ts";
import { listening, request, temporaryFile } from "../../listening-server.ts";
import { newDatabase } from "../../new-database.ts";

/** What closing at once takes at most, on a busy machine; what it would take to wait is 10 s. */
const atOnceMs = 5_000;

async function refusesConnections(url: string): Promise<boolean> {
  const connection = await rawConnection(url).catch(() => undefined);
  connection?.close();
  return connection === undefined;
}

describe("closing a service", () => {
  test("finishes the requests that are under way, then closes their connections", async () => {
    const server = await listening();
    const connection = await rawConnection(server.url);
    const late = await rawConnection(server.url);
    late.send(`GET /v1/payments HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.key}\r\n`);
    const body = JSON.stringify(bodyWith({}));
    const head = [
      "POST /v1/payments HTTP/1.1",
      "Host: x",
      `Authorization: Bearer ${server.key}`,
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
    ];
    connection.send(`${head.join("\r\n")}\r\n\r\n${body.slice(0, 10)}`);
    await delay(100);
    let isClosed = false;
    const closing = server.close().then(() => (isClosed = true));
    await expect.poll(async () => refusesConnections(server.url)).toBe(true);
    await delay(300);
    expect(isClosed).toBe(false);
    late.send("\r\n");
    expect((await late.answer()).status).toBe(200);
    expect(await late.ended).toBe("");
    connection.send(body.slice(10));
    expect((await connection.answer()).status).toBe(201);
    expect(await connection.ended).toBe("");
    await closing;
  });

  test.each([
    ["that rests between two requests", "GET /docs/errors HTTP/1.1\r\nHost: x\r\n\r\n", true],
    ["on which nothing was asked", "", false],
    ["with a head that is not finished", "GET /docs/err", false],
  ])("does not wait for a connection %s", async (_, sent, isAnswered) => {
    const server = await listening();
    const connection = await rawConnection(server.url);
    if (sent) connection.send(sent);
    if (isAnswered) await connection.answer();
    else await delay(100);
    const startMs = performance.now();
    await server.close();
    expect(await connection.ended).toBe("");
    expect(performance.now() - startMs).toBeLessThan(atOnceMs);
  });

  test("refuses new connections, and lets go of the database", async () => {
    const database = await newDatabase(temporaryFile());
    const first = await listening({ database });
    const { id } = await request(first, "/v1/payments", bodyWith({}));
    await first.close();
    expect(await refusesConnections(first.url)).toBe(true);
    const second = await listening({ database });
    expect(await request({ ...second, key: first.key }, `/v1/payments/${id}`)).toMatchObject({
      id,
    });
  });

  test("cuts what is still not finished after 10 s", { timeout: 60_000 }, async () => {
    const server = await listening();
    const connection = await rawConnection(server.url);
    const head = ["POST /v1/payments HTTP/1.1", "Host: x", `Authorization: Bearer ${server.key}`];
    const body = "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{";
    connection.send(`${head.join("\r\n")}\r\n${body}`);
    await delay(100);
    const startMs = performance.now();
    await server.close();
    expect(performance.now() - startMs).toBeGreaterThan(9_000);
    expect(await connection.ended).toBe("");
  });
});

async function readiness(url: string): Promise<object> {
  const answer = await fetch(`${url}/readyz`);
  return { status: answer.status, body: await answer.json() };
}

describe("a service that is to end", () => {
  const ending = { status: 503, body: { status: "unready", reason: "shutting_down" } };

  test("tells the next probe, and serves others until then", async () => {
    const server = await listening();
    expect(await readiness(server.url)).toEqual({ status: 200, body: { status: "ready" } });
    let isClosed = false;
    const closing = server.close().then(() => (isClosed = true));
    for (let calls = 0; calls < 3; calls++) {
      expect(await request(server, "/v1/payments", bodyWith({}))).toMatchObject({
        status: "succeeded",
      });
      await delay(200);
    }
    expect(isClosed).toBe(false);
    expect(await readiness(server.url)).toEqual(ending);
    await closing;
    expect(await refusesConnections(server.url)).toBe(true);
  });

  test("waits no longer than 5 s for a probe that does not come", async () => {
    const server = await listening();
    await readiness(server.url);
    const startMs = performance.now();
    await server.close();
    expect(performance.now() - startMs).toBeGreaterThan(4_900);
    expect(performance.now() - startMs).toBeLessThan(5_000 + atOnceMs);
  });

  test("waits for nobody where nothing probes whether it is ready", async () => {
    const server = await listening();
    await fetch(`${server.url}/healthz`);
    await request(server, "/v1/payments");
    const startMs = performance.now();
    await server.close();
    expect(performance.now() - startMs).toBeLessThan(4_000);
  });
});
