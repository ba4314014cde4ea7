import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { CreatePayment } from "../src/client/calls.ts";
import { PaymentsClient } from "../src/client/client.ts";
import { startPostgres } from "../test/testkit/database/start-postgres.ts";
import { type Figure, compareTime } from "./figure.ts";
import { type Rate, compareRates, measureRate, medianRate, readProcessorMs } from "./rate.ts";
import { start, startPayments, stop, type Running } from "./service-process.ts";
import { body } from "./throughput.ts";

const endpoints = [0, 1, 3];
const rounds = 7;
const load = { connections: 32, seconds: 2 };
const manyEvents = 10_000;
const limitMs = 10_000;
const slow = { answersAfterMs: 100, events: 2_000, limitMs: 15_000 };
const missed = { events: 10_000, rounds: 3, refusesOneIn: 50, processorLimitUs: 220 };

type Service = Running & { key: string };

/** The cost of endpoints for a create, and the time until many events have arrived. */
export async function measureWebhooks(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "payments-bench-"));
  const receiver = await startReceiver();
  const services: Service[] = [];
  for (const count of endpoints) {
    const database = `sqlite:${join(folder, `${count}.db`)}`;
    const service = await startPayments(database, ["--webhook-allow-private"]);
    const client = clientOf(service);
    for (let i = 0; i < count; i++) await client.webhookEndpoints.create({ url: receiver.url });
    await client.close();
    services.push(service);
  }
  const rates = services.map((): Rate[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, service] of services.entries()) {
      rates[index]?.push(await measureCreates(service));
      await waitUntilIdle(service); // pending deliveries must not slow the next measurement
    }
  }
  const [none, one, three] = rates.map(medianRate) as [Rate, Rate, Rate];
  const arrivedMs = await arrivalOf(services[1] as Service, receiver, manyEvents);
  await Promise.all([...services, receiver].map(stop));
  rmSync(folder, { recursive: true });
  return [
    compareRates("creates with one endpoint", one, "without one", none, "≥ 0.5"),
    compareRates("creates with three endpoints", three, "without one", none, "≥ 0.3"),
    compareTime("10,000 events, from the last change to the last arrival", arrivedMs, limitMs),
  ];
}

/** Deliveries on both databases: to an endpoint that takes its time, to one that refuses some, and what one costs. */
export async function measureDeliveries(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "payments-bench-"));
  const onSqlite = await measureDeliveriesOn("SQLite", `sqlite:${join(folder, "payments.db")}`);
  rmSync(folder, { recursive: true });
  const postgres = await startPostgres();
  const onPostgres = await measureDeliveriesOn("PostgreSQL", postgres.url);
  await postgres.stop();
  return [...onSqlite, ...onPostgres];
}

async function measureDeliveriesOn(database: string, url: string): Promise<Figure[]> {
  const schedule = ["--webhook-schedule", "0s,1h"]; // what is refused does not come again
  const service = await startPayments(url, ["--webhook-allow-private", ...schedule]);
  const client = clientOf(service);
  const slowReceiver = await startReceiver(slow.answersAfterMs);
  const { id } = await client.webhookEndpoints.create({ url: slowReceiver.url });
  const slowMs = await arrivalOf(service, slowReceiver, slow.events);
  await client.webhookEndpoints.delete(id);

  // A receiver counts an event once, so each round has its own.
  const addDisabled = async (receiver: Running) => {
    const endpoint = await client.webhookEndpoints.create({ url: receiver.url });
    await client.webhookEndpoints.update(endpoint.id, { status: "disabled" });
    return { endpointId: endpoint.id, receiver };
  };
  const pairs = [];
  for (let round = 0; round < missed.rounds; round++)
    pairs.push([
      await addDisabled(await startReceiver()),
      await addDisabled(await startReceiver(0, missed.refusesOneIn)),
    ] as const);
  await createPayments(client, missed.events);
  await waitFor(service, /^payments_search_behind_seconds 0$/m);
  const took = { sound: [] as Rate[], refusing: [] as Rate[] };
  const accepted = missed.events - missed.events / missed.refusesOneIn;
  for (const [sound, refusing] of pairs) {
    took.sound.push(await deliverMissed(service, client, { ...sound, accepted: missed.events }));
    took.refusing.push(await deliverMissed(service, client, { ...refusing, accepted }));
  }
  await client.close();
  const receivers = pairs.flat().map(({ receiver }) => receiver);
  await Promise.all([service, slowReceiver, ...receivers].map(stop));

  const [sound, refusing] = [medianRate(took.sound), medianRate(took.refusing)];
  return [
    compareTime(
      `${database}: 2,000 events, answered after ${slow.answersAfterMs} ms, to the last arrival`,
      slowMs,
      slow.limitMs,
    ),
    compareRates(
      `${database}: deliveries where one in ${missed.refusesOneIn} is refused`,
      refusing,
      "if none is",
      sound,
      "≥ 0.5",
    ),
    {
      what: `${database}: processor time of a delivery`,
      ours: `${Math.round(sound.processorUs)} µs`,
      compared: `${missed.processorLimitUs} µs`,
      ratio: sound.processorUs / missed.processorLimitUs,
      floor: "≤ 1",
    },
  ];
}

/** Has an endpoint sent the events that happened while it was disabled. */
async function deliverMissed(
  service: Service,
  client: PaymentsClient,
  { endpointId, receiver, accepted }: { endpointId: string; receiver: Running; accepted: number },
): Promise<Rate> {
  const before = await countEvents(receiver);
  await client.webhookEndpoints.update(endpointId, { status: "enabled" });
  const startMs = performance.now();
  const startProcessorMs = readProcessorMs(service.child);
  await client.webhookEndpoints.recover(endpointId, { since: 0 });
  await waitForEvents(receiver, before + accepted);
  const tookMs = performance.now() - startMs;
  const processorMs = readProcessorMs(service.child) - startProcessorMs;
  await client.webhookEndpoints.update(endpointId, { status: "disabled" });
  return {
    perSecond: (accepted / tookMs) * 1000,
    processorUs: (processorMs / missed.events) * 1000,
  };
}

async function startReceiver(...argv: number[]): Promise<Running> {
  const script = new URL("webhook-receiver.ts", import.meta.url).pathname;
  return await start([script, ...argv.map(String)]);
}

async function measureCreates(service: Service): Promise<Rate> {
  const headers = { authorization: `Bearer ${service.key}`, "content-type": "application/json" };
  return await measureRate(service, { method: "POST", path: "/v1/payments", headers, body }, load);
}

/** Makes payments; gives the time from the last payment to the last event. */
async function arrivalOf(service: Service, receiver: Running, count: number): Promise<number> {
  const before = await countEvents(receiver);
  const client = clientOf(service);
  await createPayments(client, count);
  await client.close();
  const startMs = performance.now();
  await waitForEvents(receiver, before + count);
  return performance.now() - startMs;
}

async function createPayments(client: PaymentsClient, count: number): Promise<void> {
  const payment = JSON.parse(body) as CreatePayment;
  let left = count;
  await Promise.all(
    Array.from({ length: load.connections }, async () => {
      while (left-- > 0) await client.payments.create(payment);
    }),
  );
}

async function waitForEvents(receiver: Running, count: number): Promise<void> {
  while ((await countEvents(receiver)) < count) await delay(20);
}

async function countEvents({ url }: Running): Promise<number> {
  const answer = await fetch(url);
  return ((await answer.json()) as { events: number }).events;
}

async function waitUntilIdle(service: Service): Promise<void> {
  await waitFor(service, /^payments_webhook_backlog 0$/m);
}

async function waitFor({ url }: Service, metric: RegExp): Promise<void> {
  while (!metric.test(await (await fetch(`${url}/metrics`)).text())) await delay(50);
}

function clientOf({ url, key }: Service): PaymentsClient {
  return new PaymentsClient({ apiKey: key, baseUrl: url });
}
