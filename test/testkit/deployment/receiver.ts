import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { onTestFinished } from "vitest";

/** The events that an endpoint received, by id, and how often. */
type Received = Map<string, { body: string; headers: IncomingMessage["headers"]; count: number }>;

type Answer = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

const answers = {
  good: (_request, response) => void response.writeHead(200).end(),
  slow: async (_request, response) => {
    await delay(300);
    response.writeHead(204).end();
  },
  failing: (_request, response) => void response.writeHead(500).end("no"),
} satisfies Record<string, Answer>;

/**
 * A server with endpoints that respond at once, slowly, and with a failure; it records the events that they receive.
 */
export async function startReceiver() {
  const received = { good: new Map(), slow: new Map(), failing: new Map() } as Record<
    keyof typeof answers,
    Received
  >;
  const server = createServer(async (request, response) => {
    const name = request.url?.slice(1) as keyof typeof answers;
    const { headers } = request;
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return; // the sender has ended
    const id = String(headers["webhook-id"]);
    const count = (received[name].get(id)?.count ?? 0) + 1;
    received[name].set(id, { body, headers, count });
    await answers[name](request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { urlOf: (name: keyof typeof answers) => `http://127.0.0.1:${port}/${name}`, received };
}
