// Only Fastify and SQLite, on a database of the service: the upper bound for any service on the two. It
// writes the same rows for a payment and an idempotency key, and commits those that wait together before
// it responds; it checks no API key, and validates, logs and counts nothing. The database's file and the
// response to a create come as JSON on standard input.
import { hash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import Fastify from "fastify";
import { v7 } from "uuid";

type Body = { amount: number; currency: string };
type Waiting = { write: () => void; answer: () => void };

const { file, created } = JSON.parse(await text(process.stdin)) as {
  file: string;
  created: string;
};
const payment = JSON.parse(created) as Record<string, unknown>;
const db = new DatabaseSync(file);
db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
const [accountId] = Object.values(db.prepare("SELECT id FROM accounts").get() ?? {});
if (typeof accountId !== "string") throw new Error("The database has no account.");
const insertPayment = db.prepare(
  `INSERT INTO payments (account_id, livemode, id, status, amount, currency, created, payment, events, first_status)
   VALUES (?, 0, ?, 'succeeded', ?, ?, ?, ?, 1, 'succeeded')`,
);
const selectKey = db.prepare(
  "SELECT body FROM idempotency_records WHERE account_id = ? AND livemode = 0 AND idempotency_key = ?",
);
const insertKey = db.prepare(
  `INSERT INTO idempotency_records (account_id, livemode, idempotency_key, fingerprint, status, body, expires_at_ms, locked_until_ms)
   VALUES (?, 0, ?, ?, 201, ?, ?, 0)`,
);
const selectPayment = db.prepare(
  "SELECT payment FROM payments WHERE account_id = ? AND livemode = 0 AND id = ?",
);
const selectNewest = db.prepare(
  "SELECT payment FROM payments WHERE account_id = ? AND livemode = 0 ORDER BY id DESC LIMIT 11",
);
selectPayment.setReturnArrays(true);
selectNewest.setReturnArrays(true);

let waiting: Waiting[] = [];

async function written(write: () => void): Promise<void> {
  return await new Promise((answer) => {
    waiting.push({ write, answer });
    if (waiting.length === 1) setImmediate(commit);
  });
}

function commit(): void {
  const batch = waiting;
  waiting = [];
  db.exec("BEGIN IMMEDIATE");
  for (const { write } of batch) write();
  db.exec("COMMIT");
  for (const { answer } of batch) answer();
}

const app = Fastify();
const type = "application/json; charset=utf-8";
app.post("/v1/payments", async (request, reply) => {
  const body = request.body as Body;
  const key = request.headers["idempotency-key"];
  const nowMs = Date.now();
  const id = `pay_${v7()}`;
  const { amount, currency } = body;
  const made = Math.floor(nowMs / 1000);
  const json = JSON.stringify({ ...payment, id, amount, currency, created: made });
  if (typeof key === "string" && selectKey.get(accountId, key))
    throw new Error("A key came twice.");
  await written(() => {
    if (typeof key === "string") {
      const fingerprint = hash("sha256", JSON.stringify(body), "base64url");
      insertKey.run(accountId, key, fingerprint, json, nowMs + 86_400_000);
    }
    insertPayment.run(accountId, id, amount, currency, made, json);
  });
  return reply.code(201).header("content-type", type).send(json);
});
app.get<{ Params: { id: string } }>("/v1/payments/:id", async (request, reply) => {
  const [json] = selectPayment.get(accountId, request.params.id) as unknown as [string];
  return reply.header("content-type", type).send(json);
});
app.get("/v1/payments", async (_request, reply) => {
  const rows = selectNewest.all(accountId) as unknown as [string][];
  const data = rows
    .slice(0, 10)
    .map(([json]) => json)
    .join();
  const list = `{"object":"list","url":"/v1/payments","data":[${data}],"has_more":${rows.length > 10}}`;
  return reply.header("content-type", type).send(list);
});
const url = await app.listen({ host: "127.0.0.1", port: 0 });
console.log(JSON.stringify({ url }));
process.once("SIGTERM", () => process.exit(0));
