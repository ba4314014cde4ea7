import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startPostgres } from "../test/testkit/database/start-postgres.ts";
import { type Figure, compareTime, median } from "./figure.ts";
import { type Rate, compareRates, medianRate } from "./rate.ts";
import { startPayments, stop } from "./service-process.ts";
import { type Load, measureWithWrk } from "./wrk.ts";

const connections = 32;
const rounds = 5;
const seconds = { alone: 4, beside: 6 };
const apartMs = 100;
const searchesAfterwards = 15;
/** So long that the index has taken what a round made. */
const restMs = 4_000;
const limitsMs = { beside: 20, afterwards: 4 };
/** Each search finds one payment in so many. */
const firstNames = 997;
const body = JSON.stringify({
  amount: 4999,
  currency: "eur",
  card: { number: "4242424242424242", exp_month: 12, exp_year: 2030, cvc: "123" },
  customer: {
    email: "c{n}@example.com",
    first_name: `Ada{n%${firstNames}}`,
    last_name: "Lovelace{n%4999}",
  },
  description: "Order ORD-{n} shoes",
  metadata: { order_id: "A-{n}" },
});

/** A search of one word each 100 ms beside creates, and at once afterwards, on SQLite and on PostgreSQL. */
export async function measureSearchBesideCreates(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "payments-bench-"));
  const onSqlite = await measureOn("SQLite", `sqlite:${join(folder, "payments.db")}`);
  rmSync(folder, { recursive: true });
  const postgres = await startPostgres();
  const onPostgres = await measureOn("PostgreSQL", postgres.url);
  await postgres.stop();
  return [...onSqlite, ...onPostgres];
}

async function measureOn(engine: string, database: string): Promise<Figure[]> {
  const service = await startPayments(database);
  const headers = { authorization: `Bearer ${service.key}` };
  const load = { to: service, connections, headers, body, path: "/v1/payments" };
  const rates = { alone: [] as Rate[], beside: [] as Rate[] };
  const tookMs = { beside: [] as number[], afterwards: [] as number[] };
  const search = async () => {
    const word = `Ada${Math.floor(Math.random() * firstNames)}`;
    const startMs = performance.now();
    const found = await fetch(`${service.url}/v1/payments?search=${word}&limit=10`, { headers });
    if (!found.ok) throw new Error(`A search was answered with ${found.status}.`);
    await found.text();
    return performance.now() - startMs;
  };
  await measureWithWrk({ ...load, seconds: 1 }); // warms up
  for (let round = 0; round < rounds; round++) {
    await delay(restMs);
    rates.alone.push(await measureWithWrk({ ...load, seconds: seconds.alone }));
    await delay(restMs);
    const beside = await searchBeside({ ...load, seconds: seconds.beside }, search);
    rates.beside.push(beside.rate);
    tookMs.beside.push(median(beside.tookMs));
    const afterwards: number[] = [];
    for (let count = 0; count < searchesAfterwards; count++, await delay(apartMs))
      afterwards.push(await search());
    tookMs.afterwards.push(median(afterwards));
  }
  await stop(service);
  const [alone, beside] = [medianRate(rates.alone), medianRate(rates.beside)];
  const what = `${engine}, ${connections} connections that create`;
  return [
    compareRates(`${what}, beside a search each ${apartMs} ms`, beside, "alone", alone, "≥ 0.9"),
    compareTime(`${what}, a search beside them`, median(tookMs.beside), limitsMs.beside),
    compareTime(
      `${what}, a search at once afterwards`,
      median(tookMs.afterwards),
      limitsMs.afterwards,
    ),
  ];
}

/** Searches as long as the load goes on. */
async function searchBeside(load: Load, search: () => Promise<number>) {
  const measured = measureWithWrk(load);
  const ended = measured.then(() => true);
  const tookMs: number[] = [];
  while (!(await Promise.race([ended, delay(apartMs, false)]))) tookMs.push(await search());
  return { rate: await measured, tookMs };
}
