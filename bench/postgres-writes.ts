import { Client } from "pg";
import { startPostgres } from "../test/testkit/database/start-postgres.ts";
import { type Figure, median } from "./figure.ts";
import { type Rate, addRates, compareRates, medianRate } from "./rate.ts";
import { type Running, startBare, startPayments, stop } from "./service-process.ts";
import { body } from "./throughput.ts";
import { measureWithWrk, type Load } from "./wrk.ts";

const bareName = "Fastify and pg";
const rounds = 5;
const seconds = 3;
/** More than a server refunds in the time of a round. */
const refundedAtOnce = 30_000;
/** A load, and the least ratio to the bare program that is asked for. */
const cases: [what: string, connections: number, floor: string][] = [
  ["create, one at a time", 1, "≥ 0.65"],
  ["create, 32 connections", 32, "≥ 1.1"],
  ["create, 256 connections", 256, "≥ 1.5"],
];

/**
 * Creates and refunds of the service on PostgreSQL, against Fastify with a pool of 10 connections that writes one row
 * a request; and against multi-row inserts alone, the upper bound. Fastify with the service's store alone shows which
 * part is the store's; the service stays up meanwhile, and indexes those payments as it does its own.
 */
export async function measurePostgresWrites(): Promise<Figure[]> {
  const postgres = await startPostgres();
  const service = await startPayments(postgres.url);
  const headers = { authorization: `Bearer ${service.key}` };
  const created = await create(service.url, headers);
  const task = { url: postgres.url, created: JSON.stringify(created) };
  const bare = await startBare("fastify-postgres.ts", task);
  const base = { seconds, headers, body, path: "/v1/payments", connections: 1 };
  const figures: Figure[] = [];
  for (const [what, connections, floor] of cases) {
    const { ours, theirs } = await inTurn(
      async () => ({ ...base, connections, to: service }),
      async () => ({ ...base, connections, to: bare }),
    );
    figures.push(compareRates(what, medianRate(ours), bareName, medianRate(theirs), floor));
    if (connections === 256) figures.push(compareP99(`${what}, p99`, ours, theirs));
  }
  const keyed = { ...base, connections: 64, to: service };
  const { ours: withKeys, theirs: without } = await inTurn(
    async () => ({ ...keyed, isKeyed: true }),
    async () => keyed,
  );
  figures.push(
    compareRates(
      "create, an Idempotency-Key each, 64 connections",
      medianRate(withKeys),
      "without",
      medianRate(without),
      "≥ 0.85",
    ),
  );
  const storeAlone = await startBare("fastify-store.ts", task);
  for (const connections of [32, 256]) {
    const { ours, theirs } = await inTurn(
      async () => ({ ...base, connections, to: storeAlone }),
      async () => ({ ...base, connections, to: bare }),
    );
    const what = `create by Fastify and the store alone, ${connections} connections`;
    figures.push(compareRates(what, medianRate(ours), bareName, medianRate(theirs), ""));
  }
  await stop(storeAlone);
  const refunds = async (to: Running) => {
    const ids = await createMany(to.url, headers, refundedAtOnce);
    const path = ids.map((id) => `/v1/payments/${id}/refund`);
    return { ...base, to, connections: 32, seconds: 2, body: "{}", path };
  };
  const refunded = await inTurn(
    async () => refunds(service),
    async () => refunds(bare),
  );
  const [mine, theirs] = [medianRate(refunded.ours), medianRate(refunded.theirs)];
  figures.push(compareRates("refund, 32 connections", mine, bareName, theirs, "≥ 1.5"));

  const second = await startPayments(postgres.url);
  const replicas = [
    { ...base, connections: 128, to: service },
    {
      ...base,
      connections: 128,
      to: second,
      headers: { authorization: `Bearer ${second.key}` },
    },
  ];
  const [one, two] = [await measureReplicas(replicas.slice(0, 1)), await measureReplicas(replicas)];
  figures.push(
    compareRates("create, two replicas, 128 connections each", two, "one", one, "≥ 1.3"),
  );
  const rate = await inTurn(async () => ({ ...base, connections: 256, to: service }));
  const bound = await insertSets(postgres.url);
  const what = "create, 256 connections, beside the upper bound";
  figures.push(compareRates(what, medianRate(rate.ours), "64 rows at once", bound, ""));
  await Promise.all([service, second, bare].map(stop));
  await postgres.stop();
  return figures;
}

/** The middle rates of the service and of the bare program, which are measured in turn. */
async function inTurn(ours: () => Promise<Load>, theirs?: () => Promise<Load>) {
  const rates: Record<"ours" | "theirs", Timed[]> = { ours: [], theirs: [] };
  await measureWithWrk({ ...(await ours()), seconds: 1 }); // warms up
  for (let round = 0; round < rounds; round++) {
    rates.ours.push(await measureWithWrk(await ours()));
    if (theirs) rates.theirs.push(await measureWithWrk(await theirs()));
  }
  return rates;
}

/** The creates of replicas that are loaded at once. */
async function measureReplicas(replicas: Load[]): Promise<Rate> {
  const sums: Rate[] = [];
  for (let round = 0; round < rounds; round++)
    sums.push(addRates(await Promise.all(replicas.map(measureWithWrk))));
  return medianRate(sums);
}

type Timed = Awaited<ReturnType<typeof measureWithWrk>>;

function compareP99(what: string, ours: Timed[], theirs: Timed[]): Figure {
  const [mine, other] = [ours, theirs].map((rates) => median(rates.map(({ p99Ms }) => p99Ms)));
  const ratio = (mine ?? 0) / (other ?? 0);
  return {
    what,
    ours: `p99 ${mine} ms`,
    compared: `${bareName} ${other} ms`,
    ratio,
    floor: "≤ 1",
  };
}

async function create(url: string, headers: Record<string, string>): Promise<{ id: string }> {
  const all = { ...headers, "content-type": "application/json" };
  const response = await fetch(`${url}/v1/payments`, { method: "POST", headers: all, body });
  return (await response.json()) as { id: string };
}

async function createMany(url: string, headers: Record<string, string>, count: number) {
  const ids: string[] = [];
  while (ids.length < count) {
    const created = Array.from({ length: 200 }, async () => create(url, headers));
    ids.push(...(await Promise.all(created)).map(({ id }) => id));
  }
  return ids;
}

/** Rows a second where two connections insert 64 at once, and nothing else is done. */
async function insertSets(url: string): Promise<Rate> {
  const clients = [new Client(url), new Client(url)];
  const text = `INSERT INTO bare_payments VALUES ${Array.from({ length: 64 }, (_, row) => `($${row + 1}, 0, gen_random_uuid()::text, 'succeeded', 4999, 'eur', 0, $${row + 1})`).join()}`;
  const values = Array.from({ length: 64 }, () => "x".repeat(500));
  const startMs = performance.now();
  let rows = 0;
  const insert = async (client: Client) => {
    await client.connect();
    for (; performance.now() < startMs + seconds * 1000; rows += 64)
      await client.query({ name: "set", text, values });
    await client.end();
  };
  const startUsage = process.cpuUsage();
  await Promise.all(clients.map(insert));
  const { user, system } = process.cpuUsage(startUsage);
  return {
    perSecond: (rows * 1000) / (performance.now() - startMs),
    processorUs: (user + system) / rows,
  };
}
