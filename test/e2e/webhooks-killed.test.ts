import { join } from "node:path";
import { expect, inject, it } from "vitest";
import { PaymentsClient } from "../../src/client/client.ts";
import type { Payment } from "../../src/contract/payment.ts";
import { openDriver } from "../../src/service/database/database.ts";
import { queryRows } from "../../src/service/database/driver.ts";
import { newDatabase } from "../testkit/database/open-database.ts";
import { createTemporaryFolder } from "../testkit/command/installed-command.ts";
import { startReceiver } from "../testkit/service/webhooks.ts";
import { pickRandom, startReplicas, urlOf } from "../testkit/deployment/replicas.ts";
import { card, sender, sendWithRetries, type Outcome } from "../testkit/deployment/load.ts";

/** PAYMENTS_KILLS=20 and PAYMENTS_PER_KILL=500 run it longer. */
const kills = Number(process.env["PAYMENTS_KILLS"] ?? 1);
const clients = 8;
const declinedCard = { ...card, number: "4000000000000002" };
/** The payments before the next kill, so that each kill comes at another moment. */
const paymentsBetween = (kill: number) => Number(process.env["PAYMENTS_PER_KILL"] ?? 40) + kill * 7;

it("a service killed while it delivers sends every event to the endpoint that answers, and makes no other event", async () => {
  const isShared = inject("postgresUrl") !== undefined;
  const database = isShared
    ? await newDatabase()
    : `sqlite:${join(createTemporaryFolder(), "payments.db")}`;
  const replicas = await startReplicas(
    isShared ? 2 : 1,
    database,
    "--webhook-allow-private",
    "--webhook-schedule=0s,1s,1s,2s,5s,5s,5s,5s,5s,5s",
    "--processing-time=100ms",
  );
  const { key } = await replicas.createKey();
  const receiver = await startReceiver();
  const client = new PaymentsClient({ apiKey: key, baseUrl: pickRandom(replicas.urls) });
  for (const name of ["good", "slow", "failing"] as const) {
    await client.webhookEndpoints.create({ url: receiver.urlOf(name), description: name });
  }

  const send = sender(key);
  const toOne = async (path: string, idempotencyKey: string, body?: object): Promise<Outcome> =>
    sendWithRetries(async (_, sent) => send(urlOf(pickRandom(replicas.ports)), sent), "", {
      path,
      idempotencyKey,
      ...(body && { body }),
    });
  let made = 0;
  const over = new AbortController();
  const working = Array.from({ length: clients }, async (_, index) => {
    for (let count = 0; !over.signal.aborted; count++) {
      const order = `${index}-${count}`;
      const body = { amount: 4999, currency: "eur", card: count % 3 === 0 ? declinedCard : card };
      const created = await toOne("/v1/payments", order, body);
      if (created.status !== 201) continue;
      made++;
      const { id } = JSON.parse(created.body) as Payment;
      if (count % 3 === 1) await toOne(`/v1/payments/${id}/refund`, `${order}-refund`);
    }
  });
  for (let kill = 0; kill < kills; kill++) {
    const enough = made + paymentsBetween(kill);
    await expect.poll(() => made, { timeout: 120_000 }).toBeGreaterThan(enough);
    const port = pickRandom(replicas.ports);
    await replicas.end(port, "SIGKILL");
    await replicas.start(port);
  }
  over.abort();
  await Promise.all(working);
  // The leases of the killed service last longer than a test wants to wait.
  const driver = await openDriver(database);
  await driver.write(() =>
    queryRows("UPDATE deliveries SET due_at_ms = 0 WHERE due_at_ms > 0", []),
  );
  await driver.close();

  const ended = async () => {
    const pending = await client.payments.list({ status: "pending", limit: 1 });
    return pending.data.length;
  };
  await expect.poll(ended, { timeout: 120_000, interval: 500 }).toBe(0);
  const events = await collect(client.events.all());
  const { good } = receiver.received;
  const missing = () => events.filter(({ id }) => !good.has(id)).length;
  await expect.poll(missing, { timeout: 120_000 }).toBe(0);

  // A payment's events are its history.
  const payments = await collect(client.payments.all());
  const histories = Map.groupBy(events, ({ data }) => data.object.id);
  expect(new Set(histories.keys())).toEqual(new Set(payments.map(({ id }) => id)));
  for (const payment of payments) {
    const history = (histories.get(payment.id) ?? []).toSorted((a, b) => a.sequence - b.sequence);
    expect(history.map(({ type, sequence }) => [type, sequence])).toEqual(
      listStatuses(payment).map((status, index) => [`payment.${status}`, index + 1]),
    );
    expect(history.at(-1)?.data.object).toEqual(payment);
  }
  // The events sent are exactly those that can be retrieved.
  const byId = new Map(events.map((event) => [event.id, event]));
  for (const [id, { body }] of good) expect(JSON.parse(body)).toEqual(byId.get(id));
  const twice = good.values().reduce((sum, { count }) => sum + count - 1, 0);
  process.stderr.write(
    `${kills} kills, ${payments.length} payments, ${events.length} events, ${twice} more than once\n`,
  );
  await client.close();
});

/** The past statuses of a payment. */
function listStatuses({ status }: Payment): Payment["status"][] {
  if (status === "failed") return ["pending", "failed"];
  return status === "refunded" ? ["succeeded", "refunded"] : ["succeeded"];
}

async function collect<T>(found: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of found) items.push(item);
  return items;
}
