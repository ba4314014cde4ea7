import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { makeKey } from "../../testkit/command/prepare-home.ts";
import { servePayments } from "../../testkit/command/running-commands.ts";
import { createTemporaryHome } from "../../testkit/temporary.ts";
import { bodyWith } from "../../testkit/api-objects.ts";
import { listening } from "../../testkit/client/running-service.ts";
import { rawConnection } from "../../testkit/sockets/raw-sockets.ts";
import { computeConnectionLimits } from "../../../src/service/server/open-front.ts";

const silent = "";
const halfRequest = "GET /docs/errors HTTP/1.1\r\nHost: x\r\nX-Half";
const unreadRequests = "GET /docs/errors HTTP/1.1\r\nHost: x\r\n\r\n".repeat(20);
const forms = [silent, halfRequest, unreadRequests];

/**
 * Opens connections that are silent, send half a request, or do not read, until the service times one of them out.
 */
async function exhaustConnections(url: string, count: number): Promise<void> {
  const { hostname, port } = new URL(url);
  const { promise: timeoutAnswer, resolve } = Promise.withResolvers<unknown>();
  const sockets = Array.from({ length: count }, (_, index) => {
    const socket = connect(Number(port), hostname).on("error", () => {});
    const text = forms[index % forms.length] ?? "";
    socket.write(text);
    return text === unreadRequests ? socket.pause() : socket.on("data", resolve);
  });
  expect(String(await timeoutAnswer)).toContain("HTTP/1.1 408 ");
  for (const socket of sockets) socket.destroy();
}

type LogLine = { level: string; msg: string; closed?: number; max_connections?: number };

describe.concurrent("a service with a low limit of open files", () => {
  test("survives twice as many connections as its limit, and logs a warning", async () => {
    const openFiles = 64;
    const home = createTemporaryHome();
    const { key } = await makeKey(home);
    const serving = await servePayments(["--metrics-port", "0", "--json"], { home, openFiles });
    const { metrics_url: metricsUrl } = JSON.parse(serving.line) as { metrics_url: string };
    const isOver = exhaustConnections(serving.url, 2 * openFiles).then(() => true);
    const probe = async (path: string) => {
      const answer = await fetch(metricsUrl + path, { headers: { connection: "close" } });
      await answer.text();
      return answer.status;
    };
    // Each probe gets a connection meanwhile; on a busy machine its answer may be late.
    const paths = ["/healthz", "/readyz", "/metrics"];
    while (!(await Promise.race([isOver, delay(250, false)]))) {
      for (const path of paths) await probe(path);
    }
    for (const path of paths)
      await vi.waitUntil(async () => (await probe(path)) === 200, { timeout: 120_000 });
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(bodyWith({})) };
    const create = async () => fetch(`${serving.url}/v1/payments`, init).catch(() => undefined);
    await vi.waitUntil(async () => (await create())?.status === 201, { timeout: 120_000 });
    const { exitCode, stderr } = await serving.end("SIGTERM");
    expect(exitCode).toBe(0);
    const lines = stderr
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as LogLine);
    const max = lines.find(({ msg }) => msg === "listening")?.max_connections ?? 0;
    expect(max).toBeGreaterThan(0);
    expect(max).toBeLessThan(openFiles - 32);
    const warning = lines.find(({ level }) => level === "warn");
    expect(warning).toMatchObject({ max_connections: max, closed: 1 });
  });

  test("exits with 9 if the limit is too low", async () => {
    await expect(servePayments([], { openFiles: 48 })).rejects.toThrow(
      /The service needs at least 64 open files, and this process may have 48\.[^]*ulimit -n/,
    );
  });
});

test("connections beyond the maximum are closed at once, and the others stay open", async () => {
  const server = await listening({}, { openFiles: 64 });
  const connections = await Promise.all(
    Array.from({ length: server.maxConnections }, async () => rawConnection(server.url)),
  );
  for (const connection of connections) onTestFinished(connection.close);
  const beyond = await rawConnection(server.url);
  expect(await beyond.ended).toBe("");
  connections[0]?.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  expect((await connections[0]?.answer())?.status).toBe(200);
  connections[1]?.close();
  await expect
    .poll(async () => (await fetch(`${server.url}/healthz`).catch(() => undefined))?.status)
    .toBe(200);
});

describe("the maximum of connections", () => {
  test.each([
    [64, { clients: 16, probes: 8 }],
    [256, { clients: 64, probes: 32 }],
    [1_024, { clients: 768, probes: 32 }],
    [4_096, { clients: 3_840, probes: 32 }],
  ])("for %d open files is %j", (openFiles, limits) => {
    expect(computeConnectionLimits(openFiles)).toEqual(limits);
  });

  test("is limited by memory if there is no limit of open files", () => {
    const { clients } = computeConnectionLimits(Infinity);
    expect(clients).toBeLessThan(Infinity);
    expect(computeConnectionLimits(100_000_000).clients).toBe(clients);
  });

  test("is an error below 64 open files", () => {
    expect(() => computeConnectionLimits(63)).toThrow(
      "The service needs at least 64 open files, and this process may have 63.",
    );
  });

  test("follows the process's own limit by default", () => {
    expect(computeConnectionLimits().clients).toBeGreaterThan(0);
  });
});
