import { once } from "node:events";
import { mkdirSync, symlinkSync } from "node:fs";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { Event } from "../../../src/contract/event.ts";
import {
  type SenderSettings,
  createWebhookSender,
} from "../../../src/service/webhooks/webhook-sender.ts";
import type { Webhook, WebhookSender } from "../../../src/service/webhooks/webhooks-service.ts";
import { eventWith, newSecret } from "../api-objects.ts";
import { documentedCode, startExample } from "../documented-examples.ts";
import { openUntilFileEnds } from "../open-until-file-ends.ts";
import { createTemporaryHome } from "../temporary.ts";

/** The sender of a service that sends no tests of endpoints: every endpoint is down. */
export const deadSender: Pick<WebhookSender, "send"> = {
  send: async () => ({
    outcome: "failed",
    status: null,
    error: "the connection was refused",
    answer: null,
  }),
};

/** Creates a sender for one test, which by default may reach this machine. */
export function senderForTest(settings: Partial<SenderSettings> = {}): WebhookSender {
  const sender = createWebhookSender({ allowPrivate: true, version: "1.2.3", ...settings });
  onTestFinished(async () => sender.close());
  return sender;
}

export function webhookTo(url: string, fields: Partial<Webhook> = {}): Webhook {
  const event = eventWith();
  return {
    url,
    allowHttp: true,
    secrets: [newSecret()],
    eventId: event.id,
    body: JSON.stringify(event),
    nowMs: Date.now(),
    ...fields,
  };
}

/** An attempt as it arrived: `at` is the time at which it was signed. */
export type Arrival = {
  path: string;
  at: number;
  event: Event;
  body: string;
  headers: Record<string, string | string[] | undefined>;
};

/**
 * A server that records webhooks in the order of their arrival; `answer` says the status of each, 200 by default. It
 * listens on any free port, unless one is named.
 */
export async function openRecordingReceiver(
  answer: (arrival: Arrival, earlier: number) => number = () => 200,
  port = 0,
) {
  const arrivals: Arrival[] = [];
  const server = createServer(async (request, response) => {
    const { headers, url = "/" } = request;
    const body = await text(request);
    const at = Number(headers["webhook-timestamp"]);
    const arrival: Arrival = { path: url, at, event: JSON.parse(body) as Event, body, headers };
    const earlier = arrivals.filter(
      ({ path, event }) => path === url && event.id === arrival.event.id,
    ).length;
    arrivals.push(arrival);
    response.writeHead(answer(arrival, earlier)).end();
  }).listen(port, "127.0.0.1");
  await once(server, "listening");
  openUntilFileEnds(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port: open } = server.address() as AddressInfo;
  return { arrivals, url: (path: string) => `http://127.0.0.1:${open}${path}` };
}

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

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** A folder in which this package is installed. */
export function createProgramFolder(): string {
  const folder = createTemporaryHome();
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(root, join(folder, "node_modules/payments-cli"));
  return folder;
}

/** The receiver of docs/webhooks.md in a process of its own, where this package is installed. */
export async function startExampleReceiver(secret: string) {
  const folder = createProgramFolder();
  const env = { PAYMENTS_WEBHOOK_SECRET: secret };
  return await startExample(documentedCode("webhooks.md", "js"), { env, folder });
}
