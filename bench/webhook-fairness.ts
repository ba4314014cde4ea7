import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { text } from "node:stream/consumers";
import type { CreatePayment } from "../src/client/calls.ts";
import { PaymentsClient } from "../src/client/client.ts";
import { type Figure, compareTime, median } from "./figure.ts";
import { command, start, startPayments, stop } from "./service-process.ts";
import { body } from "./throughput.ts";

const slowEndpoints = 16;
const answersAfterMs = 14_000;
/** Enough events of the slow account to occupy its endpoints from the first sample to the last. */
const slowEvents = 80;
const samples = 60;
const sampleEveryMs = 2_000;
const limitsMs = { median: 500, max: 2_000 };

/** The delay of one account's events while all endpoints of another respond after 14 s. */
export async function measureWebhookFairness(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "payments-bench-"));
  const database = `sqlite:${join(folder, "fairness.db")}`;
  const slowReceiver = await start([
    new URL("webhook-receiver.ts", import.meta.url).pathname,
    String(answersAfterMs),
  ]);
  const service = await startPayments(database, ["--webhook-allow-private"]);
  const payment = JSON.parse(body) as CreatePayment;
  const slow = new PaymentsClient({ apiKey: service.key, baseUrl: service.url });
  const quick = new PaymentsClient({
    apiKey: keyOfAnotherAccount(database),
    baseUrl: service.url,
  });
  const receiver = await receivePayments();
  for (let i = 0; i < slowEndpoints; i++)
    await slow.webhookEndpoints.create({ url: slowReceiver.url });
  await quick.webhookEndpoints.create({ url: receiver.url });
  for (let i = 0; i < slowEvents; i++) await slow.payments.create(payment);
  await delay(sampleEveryMs); // by now the slow endpoints use all the slots that they can get
  const tookMs: Promise<number>[] = [];
  for (let i = 0; i < samples; i++) {
    const { id } = await quick.payments.create(payment);
    const createdMs = performance.now();
    tookMs.push(receiver.arrivalOf(id).then((atMs) => Math.max(0, atMs - createdMs)));
    await delay(sampleEveryMs);
  }
  const measuredMs = await Promise.all(tookMs);
  await Promise.all([slow.close(), quick.close()]);
  // Running deliveries are cut off: the slow endpoints never end them in time.
  await Promise.all([service, slowReceiver].map(stop));
  receiver.server.close();
  rmSync(folder, { recursive: true });
  const what = `an account's event, beside ${slowEndpoints} endpoints of another that answer after ${answersAfterMs / 1000} s`;
  return [
    compareTime(`${what}, median of ${samples}`, median(measuredMs), limitsMs.median),
    compareTime(`${what}, maximum`, Math.max(...measuredMs), limitsMs.max),
  ];
}

function keyOfAnotherAccount(database: string): string {
  const ask = (...argv: string[]) =>
    JSON.parse(
      execFileSync(process.execPath, [command, ...argv, "--database", database, "--json"], {
        encoding: "utf8",
      }),
    ) as { id: string; key: string };
  const { id } = ask("accounts", "create", "--name", "Books");
  return ask("keys", "create", "--account", id, "--mode", "test", "--name", "bench").key;
}

type Receiver = { server: Server; url: string; arrivalOf: (paymentId: string) => Promise<number> };

/** An endpoint that responds at once, and records when each payment's event came. */
async function receivePayments(): Promise<Receiver> {
  const arrivals = new Map<string, PromiseWithResolvers<number>>();
  const arrivalOf = (id: string) => {
    const known = arrivals.get(id) ?? Promise.withResolvers<number>();
    arrivals.set(id, known);
    return known;
  };
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const atMs = performance.now();
    const { data } = JSON.parse(await text(request)) as { data: { object: { id: string } } };
    arrivalOf(data.object.id).resolve(atMs);
    response.writeHead(204).end();
  };
  const server = createServer((request, response) => void take(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    server,
    url: `http://127.0.0.1:${port}`,
    arrivalOf: async (id) => arrivalOf(id).promise,
  };
}
