import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { CreatePayment } from "../src/client/calls.ts";
import { PaymentsClient } from "../src/client/client.ts";
import { type Figure, median, perSecond } from "./figure.ts";
import { body } from "./throughput.ts";
import { start, startPayments, stop, type Running } from "./service-process.ts";

const endpoints = [0, 1, 3];
const rounds = 7;
const load = { connections: 32, seconds: 2 };
const manyEvents = 10_000;
const limitMs = 10_000;

type Service = Running & { key: string };

/** The cost of endpoints for a create, and the time until many events have arrived. */
export async function measureWebhooks(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "payments-bench-"));
  const receiver = await start([new URL("webhook-receiver.ts", import.meta.url).pathname]);
  const services: Service[] = [];
  for (const count of endpoints) {
    const database = `sqlite:${join(folder, `${count}.db`)}`;
    const service = await startPayments(database, ["--webhook-allow-private"]);
    const client = clientOf(service);
    for (let i = 0; i < count; i++) await client.webhookEndpoints.create({ url: receiver.url });
    await client.close();
    services.push(service);
  }
  const rates = services.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, service] of services.entries()) {
      rates[index]?.push(await createsPerSecond(service));
      await waitUntilIdle(service); // pending deliveries must not slow the next measurement
    }
  }
  const [none = Number.NaN, one = Number.NaN, three = Number.NaN] = rates.map(median);
  const arrivedMs = await arrivalOf(services[1] as Service, receiver);
  await Promise.all([...services, receiver].map(stop));
  rmSync(folder, { recursive: true });
  const compared = `${Math.round(none)}/s without one`;
  return [
    { what: "creates with one endpoint", rate: one, floor: "≥ 0.5" },
    { what: "creates with three endpoints", rate: three, floor: "≥ 0.3" },
  ]
    .map(({ what, rate, floor }) => ({
      what,
      ours: `${Math.round(rate)}/s`,
      compared,
      ratio: rate / none,
      floor,
    }))
    .concat({
      what: "10,000 events, from the last change to the last arrival",
      ours: `${Math.round(arrivedMs)} ms`,
      compared: `${limitMs} ms`,
      ratio: arrivedMs / limitMs,
      floor: "≤ 1",
    });
}

async function createsPerSecond({ url, key }: Service): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return await perSecond(url, { method: "POST", path: "/v1/payments", headers, body }, load);
}

/** Makes many payments at once; gives the time from the last payment to the last event. */
async function arrivalOf(service: Service, receiver: Running): Promise<number> {
  const before = await countEvents(receiver);
  const client = clientOf(service);
  const payment = JSON.parse(body) as CreatePayment;
  let left = manyEvents;
  await Promise.all(
    Array.from({ length: load.connections }, async () => {
      while (left-- > 0) await client.payments.create(payment);
    }),
  );
  await client.close();
  const startMs = performance.now();
  while ((await countEvents(receiver)) < before + manyEvents) await delay(20);
  return performance.now() - startMs;
}

async function countEvents({ url }: Running): Promise<number> {
  const answer = await fetch(url);
  return ((await answer.json()) as { events: number }).events;
}

async function waitUntilIdle({ url }: Service): Promise<void> {
  for (;;) {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    if (/^payments_webhook_backlog 0$/m.test(metrics)) return;
    await delay(50);
  }
}

function clientOf({ url, key }: Service): PaymentsClient {
  return new PaymentsClient({ apiKey: key, baseUrl: url });
}
