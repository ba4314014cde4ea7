// What a create costs without anything around it: Fastify and the service's own store. It checks no API key, no field
// and no idempotency key, asks no card network, and logs and counts nothing. The database and the response to a create
// come as JSON on standard input.
import { text } from "node:stream/consumers";
import Fastify from "fastify";
import type { SucceededPayment } from "../src/service/payments/payment-state.ts";
import { ids } from "../src/service/database/ids.ts";
import { openDriver } from "../src/service/database/database.ts";
import { openStore } from "../src/service/server/open-service.ts";
import { newAccount } from "../test/testkit/database/records.ts";

type Body = { amount: number; currency: string };

const task = JSON.parse(await text(process.stdin)) as { url: string; created: string };
const created = JSON.parse(task.created) as SucceededPayment;
const driver = await openDriver(task.url);
await driver.check?.();
const store = await openStore(driver, newAccount());
const [account] = await store.listAccounts();
if (!account) throw new Error("The database has no account.");
const scope = { accountId: account.id, livemode: false };

const app = Fastify();
app.post("/v1/payments", async (request, reply) => {
  const { amount, currency } = request.body as Body;
  let json = "";
  await store.createPayment(() => {
    const nowMs = Date.now();
    const id = ids.payment();
    const payment = { ...created, id, amount, currency, created: Math.floor(nowMs / 1000) };
    json = JSON.stringify(payment);
    const event = { nowMs, dueAtMs: nowMs };
    const rest = { page: undefined, charge: undefined, idempotency: undefined };
    return { scope, payment, json, event, ...rest };
  }, account.id);
  return reply.code(201).header("content-type", "application/json; charset=utf-8").send(json);
});
const url = await app.listen({ host: "127.0.0.1", port: 0 });
console.log(JSON.stringify({ url }));
process.once("SIGTERM", () => process.exit(0));
