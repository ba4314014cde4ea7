import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import autocannon from "autocannon";
import { Client as PostgresClient } from "pg";
import { startPostgres } from "../test/testkit/database/start-postgres.ts";
import { type Figure, median } from "./figure.ts";
import { type Rate, compareRates, measureRate, medianRate } from "./rate.ts";
import { readBehindSeconds } from "./search-progress.ts";
import { createCustomer } from "./searched-payments.ts";
import { startPayments, stop } from "./service-process.ts";

const sustainedSeconds = Number(process.env["PAYMENTS_SUSTAINED_S"] ?? 600);
const rounds = 7;
const seconds = 8;
const connections = 32;
const lookUpApartMs = 300;
const maxBehindSeconds = 60;

type Service = Awaited<ReturnType<typeof startPayments>>;

/** Creates beside the index that is written behind them, on SQLite and on PostgreSQL. */
export async function measureSearchCreates(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "payments-bench-"));
  const postgres = await startPostgres(["max_wal_size=4GB"]);
  const client = new PostgresClient(postgres.url);
  await client.connect();
  for (const name of ["indexed", "unindexed"]) await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  const figures: Figure[] = [];
  for (const [engine, locate] of [
    ["SQLite", (name: string) => `sqlite:${join(folder, `${name}.db`)}`],
    ["PostgreSQL", (name: string) => postgres.url.replace(/\/postgres$/, `/${name}`)],
  ] as const) {
    const indexed = await startPayments(locate("indexed"));
    const unindexed = await startPayments(locate("unindexed"));
    figures.push(await compareCreates(engine, indexed, unindexed));
    await stop(unindexed);
    figures.push(...(await sustain(engine, indexed)));
    await stop(indexed);
  }
  await postgres.stop();
  rmSync(folder, { recursive: true });
  return figures;
}

let made = 0;

/** A request that creates a payment as a shop does, each of another customer. */
function createRequest(key: string) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const request = { method: "POST" as const, path: "/v1/payments", headers };
  return {
    ...request,
    body: createBody(),
    setupRequest: (each: autocannon.Request) => ({ ...each, body: createBody() }),
  };
}

function createBody(email?: string): string {
  made += 1;
  const customer = createCustomer(made);
  const [first = "", last = ""] = customer.name.split(" ");
  return JSON.stringify({
    amount: 100 + (made % 50_000),
    currency: "eur",
    card: { number: "4242424242424242", exp_month: 12, exp_year: 2030, cvc: "123" },
    customer: { email: email ?? customer.email, first_name: first, last_name: last },
    description: `Order ORD-${made} ${made % 7 === 0 ? "shoes" : "book"}`,
    metadata: { order_id: `A-${made.toString(36)}`, plan: made % 3 === 0 ? "gold" : "basic" },
  });
}

/**
 * The creates a second beside the index, and where the process that writes it stands still; measured in turn while
 * nothing waits to be indexed from the round before.
 */
async function compareCreates(
  engine: string,
  indexed: Service,
  unindexed: Service,
): Promise<Figure> {
  const indexer = await startIndexer(unindexed);
  process.kill(indexer, "SIGSTOP");
  const rates: [Rate[], Rate[]] = [[], []];
  for (let round = -1; round < rounds; round++) {
    // The order changes, so that neither is always the one that runs behind the other.
    for (const at of round % 2 === 0 ? [0, 1] : [1, 0]) {
      const service = at === 0 ? indexed : unindexed;
      const request = createRequest(service.key);
      const rate = await measureRate(service, request, { connections, seconds });
      if (round >= 0) rates[at === 0 ? 0 : 1].push(rate); // the first round warms up
      await waitUntilNotBehind(indexed.url);
    }
  }
  process.kill(indexer, "SIGCONT");
  const [beside, without] = [medianRate(rates[0]), medianRate(rates[1])];
  const what = `${engine}, create, ${connections} connections`;
  return compareRates(what, beside, "without the index", without, "≥ 0.95");
}

/** Creates a payment; then the one process that a service has started writes its index. */
async function startIndexer({ url, key, child: { pid } }: Service): Promise<number> {
  await fetch(`${url}/v1/payments`, createRequest(key));
  for (;;) {
    const indexer = Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8"));
    if (indexer > 0) return indexer;
    await delay(100);
  }
}

async function waitUntilNotBehind(url: string): Promise<void> {
  while (((await readBehindSeconds(url)) ?? 0) > 0) await delay(100);
}

/** Creates at full speed for long, beside look-ups of payments that were created just now. */
async function sustain(engine: string, { url, key }: Service): Promise<Figure[]> {
  const load = autocannon({
    url,
    connections,
    duration: sustainedSeconds,
    requests: [createRequest(key)],
  });
  const endMs = Date.now() + sustainedSeconds * 1_000;
  const behind: number[] = [];
  const lookUps = { found: 0, missed: 0, refused: 0, timesMs: [] as number[] };
  const pollBehind = async () => {
    for (; Date.now() < endMs; await delay(1_000)) behind.push((await readBehindSeconds(url)) ?? 0);
  };
  const lookUp = async () => {
    for (; Date.now() < endMs; await delay(lookUpApartMs)) {
      const { outcome, ms } = await findJustCreated(url, key);
      lookUps[outcome] += 1;
      lookUps.timesMs.push(ms);
    }
  };
  const [result] = await Promise.all([load, pollBehind(), lookUp()]);
  const maxBehind = Math.max(...behind);
  const rate = Math.round(result["2xx"] / result.duration);
  const what = `${engine}, ${sustainedSeconds} s of ${rate} creates a second`;
  return [
    {
      what: `${what}, the index behind them`,
      ours: `at most ${maxBehind.toFixed(1)} s`,
      compared: `${maxBehindSeconds} s`,
      ratio: maxBehind / maxBehindSeconds,
      floor: "≤ 1",
    },
    {
      what: `${what}, created just now and not found`,
      ours: `${lookUps.missed} of ${lookUps.timesMs.length}, median ${median(lookUps.timesMs).toFixed(1)} ms`,
      compared: `${lookUps.refused} refused, ${result.non2xx} creates failed`,
      ratio: lookUps.missed + lookUps.refused,
      floor: "≤ 0",
    },
  ];
}

/** Creates a payment of a customer who is new, and finds it by the address. */
async function findJustCreated(url: string, key: string) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const email = `just.created.${made}.${Date.now()}@new.example`;
  const init = { method: "POST", headers, body: createBody(email) };
  const created = await fetch(`${url}/v1/payments`, init);
  const { id } = (await created.json()) as { id: string };
  const startMs = performance.now();
  const query = new URLSearchParams({ "customer[email]": email });
  const found = await fetch(`${url}/v1/payments?${query.toString()}`, { headers });
  const body = (await found.json()) as { data?: { id: string }[] };
  const ms = performance.now() - startMs;
  if (!created.ok || !found.ok) return { outcome: "refused" as const, ms };
  return { outcome: body.data?.[0]?.id === id ? ("found" as const) : ("missed" as const), ms };
}
