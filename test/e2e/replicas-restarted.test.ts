import { describe, expect, it, onTestFinished } from "vitest";
import { PaymentsClient } from "../../src/client/client.ts";
import type { Payment } from "../../src/contract/payment.ts";
import { newDatabase } from "../testkit/database/open-database.ts";
import { queryDatabase, startBalancer, startReplicas } from "../testkit/deployment/replicas.ts";
import { card } from "../testkit/deployment/load.ts";

const callers = 8;

describe("two replicas restarted one after the other", () => {
  it("fail no call of a client that retries, and do no write twice", async () => {
    const database = await newDatabase();
    const replicas = await startReplicas(2, database);
    const { key } = await replicas.createKey();
    const baseUrl = await startBalancer(replicas.ports);
    const client = new PaymentsClient({ baseUrl, apiKey: key });
    onTestFinished(async () => client.close());

    const done = new Map<string, Payment>(); // by order, in its last state
    const over = new AbortController();
    const calling = Array.from({ length: callers }, async (_, caller) => {
      for (let count = 0; !over.signal.aborted; count++) {
        const order = `${caller}-${count}`;
        const request = { amount: 4999, currency: "eur" as const, card, metadata: { order } };
        const created = await client.payments.create(request);
        done.set(order, created);
        expect(await client.payments.retrieve(created.id)).toEqual(created);
        if (count % 2 === 0) done.set(order, await client.payments.refund(created.id));
        expect((await client.payments.list({ limit: 5 })).data).not.toEqual([]);
      }
    });
    const restarting = (async () => {
      for (const port of replicas.ports) {
        await replicas.end(port, "SIGTERM");
        await replicas.start(port);
      }
    })().finally(() => over.abort());
    await Promise.all([...calling, restarting]);

    const rows = await queryDatabase<{ order: string; payment: string }>(
      database,
      "SELECT payment::json->'metadata'->>'order' AS order, payment FROM payments",
    );
    expect(rows).toHaveLength(done.size);
    expect(new Map(rows.map(({ order, payment }) => [order, JSON.parse(payment)]))).toEqual(done);
    expect(replicas.log()).not.toContain("internal_error");
  });
});
