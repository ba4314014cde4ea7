import { connect } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { makeKey } from "../../testkit/command/make-key.ts";
import { servePayments } from "../../testkit/command/serve-payments.ts";
import { createTemporaryHome } from "../../testkit/command/temporary-home.ts";
import { bodyWith } from "../../testkit/create-payment-body.ts";
import { listening } from "../../testkit/sockets/listening-server.ts";
import { rawConnection } from "../../testkit/sockets/raw-connection.ts";

const silent = "";
const halfRequest = "GET /docs/errors HTTP/1.1\r\nHost: x\r\nX-Half";
const unreadRequests = "GET /docs/errors HTTP/1.1\r\nHost: x\r\n\r\n".repeat(20);
const forms = [silent, halfRequest, unreadRequests];

/**
 * Opens connections that do nothing more than their form says, until the service has waited for one of them
 * for as long as it waits for any.
 */
async function abuse(url: string, count: number): Promise<void> {
  const { hostname, port } = new URL(url);
  const { promise: isGivenUp, resolve } = Promise.withResolvers<unknown>();
  const sockets = Array.from({ length: count }, (_, index) => {
    const socket = connect(Number(port), hostname).on("error", () => {});
    const text = forms[index % forms.length] ?? "";
    socket.write(text);
    return text === unreadRequests ? socket.pause() : socket.on("data", resolve);
  });
  expect(String(await isGivenUp)).toContain("HTTP/1.1 408 ");
  for (const socket of sockets) socket.destroy();
}

type LogLine = { level: string; msg: string; closed?: number; max_connections?: number };

describe.concurrent("a service that may open few files", () => {
  test.each([64, 256, 1_024])(
    "outlives twice as many connections as its limit of %d, and says so",
    async (openFiles) => {
      const home = createTemporaryHome();
      const { key } = await makeKey(home);
      const serving = await servePayments(["--metrics-port", "0", "--json"], { home, openFiles });
      const { metrics_url: metricsUrl } = JSON.parse(serving.line) as { metrics_url: string };
      const isOver = abuse(serving.url, 2 * openFiles).then(() => true);
      const probe = async (path: string) => {
        const answer = await fetch(metricsUrl + path, { headers: { connection: "close" } });
        await answer.text();
        return answer.status;
      };
      // Each finds a connection meanwhile; a busy machine may keep it from being answered in time.
      const paths = ["/healthz", "/readyz", "/metrics"];
      while (!(await Promise.race([isOver, nextTurn(false)]))) {
        for (const path of paths) await probe(path);
      }
      for (const path of paths)
        await vi.waitUntil(async () => (await probe(path)) === 200, { timeout: 120_000 });
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const asked = { method: "POST", headers, body: JSON.stringify(bodyWith({})) };
      const create = async () => fetch(`${serving.url}/v1/payments`, asked).catch(() => undefined);
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
    },
  );

  test("says what it needs where these are too few: exit 9", async () => {
    const started = servePayments([], { openFiles: 48 });
    await expect(started).rejects.toThrow(
      /The service needs at least 64 open files, and this process may have 48\.[^]*ulimit -n/,
    );
  });
});

test("connections beyond the cap are closed at once, and those below it stay", async () => {
  const server = await listening({}, { openFiles: 64 });
  const taken = await Promise.all(
    Array.from({ length: server.maxConnections }, async () => rawConnection(server.url)),
  );
  for (const connection of taken) onTestFinished(connection.close);
  const beyond = await rawConnection(server.url);
  expect(await beyond.ended).toBe("");
  taken[0]?.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  expect((await taken[0]?.answer())?.status).toBe(200);
  taken[1]?.close();
  await expect
    .poll(async () => (await fetch(`${server.url}/healthz`).catch(() => undefined))?.status)
    .toBe(200);
});
