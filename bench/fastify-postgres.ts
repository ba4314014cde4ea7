// The program that a user would write instead of the service: Fastify and a pool of 10 connections to PostgreSQL, which
// writes one row a request, each in a transaction of its own; a refund is one conditional update. It checks no API key
// and no field, and has no events. The database, a table of its own and the response to a create come as JSON on
// standard input.
import { text } from "node:stream/consumers";
import Fastify from "fastify";
import { Pool } from "pg";
import { v7 } from "uuid";

type Body = { amount: number; currency: string };

const task = JSON.parse(await text(process.stdin)) as { url: string; created: string };
const payment = JSON.parse(task.created) as Record<string, unknown>;
const pool = new Pool({ connectionString: task.url, max: 10 });
const accountId = "acct_00000000-0000-7000-8000-000000000000";
await pool.query(
  `CREATE TABLE IF NOT EXISTS bare_payments (
     account_id TEXT NOT NULL, livemode BIGINT NOT NULL, id TEXT NOT NULL, status TEXT NOT NULL, amount BIGINT NOT NULL,
     currency TEXT NOT NULL, created BIGINT NOT NULL, payment TEXT NOT NULL, PRIMARY KEY (account_id, livemode, id))`,
);

const app = Fastify();
const type = "application/json; charset=utf-8";
app.post("/v1/payments", async (request, reply) => {
  const { amount, currency } = request.body as Body;
  const created = Math.floor(Date.now() / 1000);
  const id = `pay_${v7()}`;
  const json = JSON.stringify({ ...payment, id, amount, currency, created });
  await pool.query({
    name: "create",
    text: "INSERT INTO bare_payments VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
    values: [accountId, 0, id, "succeeded", amount, currency, created, json],
  });
  return reply.code(201).header("content-type", type).send(json);
});
app.post<{ Params: { id: string } }>("/v1/payments/:id/refund", async (request, reply) => {
  const { rows } = await pool.query<{ payment: string }>({
    name: "refund",
    text: `UPDATE bare_payments SET status = 'refunded' WHERE account_id = $1 AND livemode = $2 AND id = $3 AND status = 'succeeded'
           RETURNING payment`,
    values: [accountId, 0, request.params.id],
  });
  const [row] = rows;
  if (!row) return reply.code(409).send({ error: "The payment cannot be refunded." });
  return reply.header("content-type", type).send(row.payment);
});
app.get<{ Params: { id: string } }>("/v1/payments/:id", async (request, reply) => {
  const { rows } = await pool.query<{ payment: string }>({
    name: "retrieve",
    text: "SELECT payment FROM bare_payments WHERE account_id = $1 AND livemode = $2 AND id = $3",
    values: [accountId, 0, request.params.id],
  });
  return reply.header("content-type", type).send(rows[0]?.payment);
});
const url = await app.listen({ host: "127.0.0.1", port: 0 });
console.log(JSON.stringify({ url }));
process.once("SIGTERM", () => process.exit(0));
