import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client as PostgresClient } from "pg";
import { startPostgres } from "../test/testkit/database/start-postgres.ts";
import type { Figure } from "./figure.ts";
import { type Rate, compareRates, measureRate, medianRate } from "./rate.ts";
import { startPayments, stop } from "./service-process.ts";
import { body } from "./throughput.ts";

const rounds = 9;
const seconds = 4;
const connections = 32;

type Service = Awaited<ReturnType<typeof startPayments>>;

/** Creates with the log of requests, against the same service without it. */
export async function measureRequestLog(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "payments-bench-"));
  const figures = [
    await compare("SQLite", (name) => `sqlite:${join(folder, `${name}.db`)}`),
    await onPostgres(),
  ];
  rmSync(folder, { recursive: true });
  return figures;
}

async function onPostgres(): Promise<Figure> {
  const postgres = await startPostgres(["max_wal_size=4GB"]);
  const client = new PostgresClient(postgres.url);
  await client.connect();
  for (const name of ["logged", "plain"]) await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  const figure = await compare("PostgreSQL", (name) =>
    postgres.url.replace(/\/postgres$/, `/${name}`),
  );
  await postgres.stop();
  return figure;
}

async function compare(engine: string, locate: (name: string) => string): Promise<Figure> {
  const logged = await startPayments(locate("logged"));
  const plain = await startPayments(locate("plain"), ["--request-log", "off"]);
  const rates: Record<"logged" | "plain", Rate[]> = { logged: [], plain: [] };
  for (let round = -1; round < rounds; round++) {
    // The order changes, so that neither is always the one that runs behind the other.
    const order = [
      { to: rates.logged, service: logged },
      { to: rates.plain, service: plain },
    ];
    for (const { to, service } of round % 2 === 0 ? order : order.toReversed()) {
      const rate = await measureRate(service, createRequest(service), { connections, seconds });
      if (round >= 0) to.push(rate); // the first round warms up
    }
  }
  await Promise.all([logged, plain].map(stop));
  return compareRates(
    `${engine}, create, an Idempotency-Key each, ${connections} connections`,
    medianRate(rates.logged),
    "without the log of requests",
    medianRate(rates.plain),
    "≥ 0.95",
  );
}

function createRequest({ key }: Service) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return {
    method: "POST" as const,
    path: "/v1/payments",
    body,
    headers,
    setupRequest: (request: object) => ({
      ...request,
      headers: { ...headers, "idempotency-key": randomUUID() },
    }),
  };
}
