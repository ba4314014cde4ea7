// The throughput of an ordinary program on `pg`, as pgbench measures it: each connection runs one
// transaction after the other, with statements that are prepared once. The task comes as JSON on
// standard input; the program prints its transactions a second, and the processor time of each.
import { randomUUID } from "node:crypto";
import { text } from "node:stream/consumers";
import { Client } from "pg";
import { v7 } from "uuid";
import type { Rate } from "./rate.ts";

export type Task = {
  load: "create" | "retrieve";
  url: string;
  connections: number;
  seconds: number;
  /** A stored payment: it is retrieved, or copied under new ids. */
  payment: { accountId: string; id: string; json: string };
};

const { load, url, connections, seconds, payment } = JSON.parse(await text(process.stdin)) as Task;
const clients = Array.from({ length: connections }, () => new Client(url));
await Promise.all(clients.map(async (client) => client.connect()));
const once = { create, retrieve }[load];
await measure(0.3); // warms up, and prepares the statements
console.log(JSON.stringify(await measure(seconds)));
await Promise.all(clients.map(async (client) => client.end()));

async function measure(duration: number): Promise<Rate> {
  const startMs = performance.now();
  const startUsage = process.cpuUsage();
  let done = 0;
  const repeatTransactions = async (client: Client) => {
    for (; performance.now() < startMs + duration * 1000; done++) await once(client);
  };
  await Promise.all(clients.map(repeatTransactions));
  const { user, system } = process.cpuUsage(startUsage);
  return {
    perSecond: (done * 1000) / (performance.now() - startMs),
    processorUs: (user + system) / done,
  };
}

/** The three rows that the service writes for a pending payment with an idempotency key. */
async function create(client: Client): Promise<void> {
  const id = `pay_${v7()}`;
  const json = payment.json.replace(payment.id, id);
  const nowMs = Date.now();
  await client.query("BEGIN");
  await client.query({
    name: "record",
    text: `INSERT INTO idempotency_records (account_id, livemode, idempotency_key, fingerprint, status, body, expires_at_ms, locked_until_ms)
           VALUES ($1, $2, $3, $4, $5, $6, $7, 0)`,
    values: [payment.accountId, 0, randomUUID(), "0".repeat(43), 201, json, nowMs + 86_400_000],
  });
  await client.query({
    name: "payment",
    text: `INSERT INTO payments (account_id, livemode, id, status, amount, currency, created, payment, events, first_status)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 1, $4)`,
    values: [payment.accountId, 0, id, "pending", 4999, "eur", Math.floor(nowMs / 1000), json],
  });
  await client.query({
    name: "charge",
    text: `INSERT INTO charges (account_id, livemode, payment_id, network, pending_action, reference, begun_at_ms, undecided_since_ms, attempts, due_at_ms)
           VALUES ($1, $2, $3, 'simulator', 'charge', $4, $5, $6, 0, $6)`,
    values: [payment.accountId, 0, id, "insufficient_funds", nowMs, nowMs + 3_600_000],
  });
  await client.query("COMMIT");
}

async function retrieve(client: Client): Promise<void> {
  const { rows } = await client.query({
    name: "payment",
    text: "SELECT payment FROM payments WHERE account_id = $1 AND livemode = $2 AND id = $3",
    values: [payment.accountId, 0, payment.id],
  });
  if (rows.length !== 1) throw new Error("The payment is not there.");
}
