import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { scriptedServer } from "../../testkit/client/scripted-server.ts";
import { openUntilFileEnds } from "../../testkit/open-until-file-ends.ts";
import { rawServer } from "../../testkit/sockets/raw-sockets.ts";
import { senderForTest, webhookTo } from "../../testkit/service/webhooks.ts";

/** A server that leaves connections open for a minute, with its open connections. */
async function startKeepAliveServer() {
  const sockets = new Set<Socket>();
  const seen = { connections: 0, requests: 0 };
  const server = createServer({ keepAliveTimeout: 60_000 }, (_request, response) => {
    seen.requests++;
    response.end();
  });
  server.on("connection", (socket) => {
    seen.connections++;
    sockets.add(socket.on("close", () => sockets.delete(socket)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  openUntilFileEnds(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, sockets, seen };
}

describe("connections", () => {
  test("are reused", async () => {
    const { port, seen } = await startKeepAliveServer();
    const sender = senderForTest();
    for (let sent = 0; sent < 20; sent++) await sender.send(webhookTo(`http://127.0.0.1:${port}`));
    expect(seen.requests).toBe(20);
    expect(seen.connections).toBeLessThanOrEqual(2); // one may still be ending its answer
  });

  test("are closed after some idle time", async () => {
    const { port, sockets } = await rawServer((socket) => {
      socket.on("data", () => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"));
    });
    expect(await senderForTest().send(webhookTo(`http://127.0.0.1:${port}`))).toMatchObject({
      outcome: "delivered",
    });
    expect(sockets.size).toBe(1);
    await expect.poll(() => sockets.size).toBe(0);
  });

  test("are at most 64 to a host, and further webhooks wait", async () => {
    const answers: (() => void)[] = [];
    const { url, requests } = await scriptedServer((response) => {
      answers.push(() => response.end());
    });
    const sender = senderForTest();
    const sent = Array.from({ length: 70 }, async () => sender.send(webhookTo(url)));
    await expect.poll(() => requests.length).toBe(64);
    for (const answer of answers.splice(0)) answer();
    await expect.poll(() => answers.length).toBe(6);
    for (const answer of answers) answer();
    for (const outcome of await Promise.all(sent)) expect(outcome.outcome).toBe("delivered");
  });

  test("are closed if there are too many hosts, the least recently used first", async () => {
    const { port, sockets, seen } = await startKeepAliveServer();
    const sender = senderForTest({ lookUp: async () => ["127.0.0.1"] });
    const buildWebhook = (host: number) => webhookTo(`http://host-${host}.example:${port}`);
    for (let host = 0; host < 300; host++) await sender.send(buildWebhook(host));
    await expect.poll(() => sockets.size).toBe(256);
    await sender.send(buildWebhook(44));
    expect(seen.connections).toBe(300);
    await sender.send(buildWebhook(43));
    expect(seen.connections).toBe(301);
  });

  test("are closed if idle hosts have too many of them", async () => {
    const { port, sockets, seen } = await startKeepAliveServer();
    const sender = senderForTest({ lookUp: async () => ["127.0.0.1"] });
    for (let host = 0; host < 12; host++) {
      const webhook = webhookTo(`http://host-${host}.example:${port}`);
      await Promise.all(Array.from({ length: 40 }, async () => sender.send(webhook)));
    }
    const { connections } = seen;
    await sender.send(webhookTo(`http://host-0.example:${port}`));
    expect(seen.connections).toBe(connections + 1); // that of the least recently used host was closed
    await expect.poll(() => sockets.size).toBeLessThanOrEqual(256 + 64);
  });
});
