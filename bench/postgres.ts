import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { text } from "node:stream/consumers";
import type { Request } from "autocannon";
import { startPostgres } from "../test/testkit/database/start-postgres.ts";
import type { Task } from "./bare-postgres.ts";
import type { Figure } from "./figure.ts";
import { type Rate, addRates, compareRates, measureRate, medianRate } from "./rate.ts";
import { seed } from "./seed.ts";
import { startPayments, stop, type Running } from "./service-process.ts";

const stored = 10_000;
const rounds = 5;
const seconds = 1;
const replicaCounts = [1, 2, 4];
/** The maximum of each replica, and the bare program's number for each replica. */
const poolSize = 10;
/** More than all pools together, so that requests wait for connections. */
const connections = 64;
/** A card that is declined later: with an idempotency key, its payment is three rows. */
const body = JSON.stringify({
  amount: 4999,
  currency: "eur",
  card: { number: "4000000000009995", exp_month: 12, exp_year: 2030, cvc: "123" },
  customer: { email: "ada@example.com", first_name: "Ada", last_name: "Lovelace" },
  description: "Order 1001",
  metadata: { order_id: "1001" },
});

/**
 * Replicas of the service on one PostgreSQL against a bare program on as many connections to the
 * same one: it makes the same three rows in one transaction, and reads a payment by its primary key.
 */
export async function measurePostgres(): Promise<Figure[]> {
  const postgres = await startPostgres();
  const [id] = await seed(postgres.url, stored);
  const replicas = await Promise.all(
    Array.from({ length: Math.max(...replicaCounts) }, async () =>
      startPayments(`${postgres.url}?pool_max_conns=${poolSize}`, ["--processing-time", "1h"]),
    ),
  );
  const [first] = replicas;
  if (!first || id === undefined) throw new Error("There is nothing to measure.");
  const headers = { authorization: `Bearer ${first.key}`, "content-type": "application/json" };
  const path = `/v1/payments/${id}`;
  const account = await fetch(`${first.url}/v1/account`, { headers });
  const { id: accountId } = (await account.json()) as { id: string };
  const json = await (await fetch(first.url + path, { headers })).text();
  const payment = { accountId, id, json };
  const requests: Record<Task["load"], Request> = {
    create: { method: "POST", path: "/v1/payments", body, headers, setupRequest: withKey },
    retrieve: { path, headers },
  };

  const figures: Figure[] = [];
  for (const load of ["create", "retrieve"] as const) {
    const measureOurs = async (running: Running[]) => {
      const each = { connections: connections / running.length, seconds };
      const rates = running.map(async (replica) => measureRate(replica, requests[load], each));
      return addRates(await Promise.all(rates));
    };
    await measureOurs(replicas); // warms up
    for (const count of replicaCounts) {
      const bare = { load, url: postgres.url, connections: poolSize * count, seconds, payment };
      const measured: Record<"ours" | "bare", Rate[]> = { ours: [], bare: [] };
      for (let round = 0; round < rounds; round++) {
        measured.ours.push(await measureOurs(replicas.slice(0, count)));
        measured.bare.push(await bareRate(bare));
      }
      const what = `${load}, PostgreSQL, replicas: ${count}`;
      const [ours, bareProgram] = [medianRate(measured.ours), medianRate(measured.bare)];
      const floor = load === "create" ? "≥ 2" : "≥ 0.4";
      figures.push(compareRates(what, ours, "bare pg", bareProgram, floor));
    }
  }
  await Promise.all(replicas.map(stop));
  await postgres.stop();
  return figures;
}

function withKey(request: Request): Request {
  return { ...request, headers: { ...request.headers, "idempotency-key": randomUUID() } };
}

/** The transactions of the bare program, in a process of its own. */
async function bareRate(task: Task): Promise<Rate> {
  const script = new URL("bare-postgres.ts", import.meta.url).pathname;
  const child = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(JSON.stringify(task));
  return JSON.parse(await text(child.stdout)) as Rate;
}
