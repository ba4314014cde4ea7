import { describe, expect, it, onTestFinished } from "vitest";
import { PaymentsClient } from "../../src/client/client.ts";
import type { Payment } from "../../src/contract/payment.ts";
import { newDatabase } from "../testkit/database/new-database.ts";
import { startBalancer } from "../testkit/deployment/balancer.ts";
import { queryRows, startReplicas, urlOf } from "../testkit/deployment/replicas.ts";
import { card, sender, sendWithRetries } from "../testkit/deployment/sender.ts";

const callers = 8;

describe("three replicas restarted one after the other", () => {
  it("fail no call of a client that retries, and do no write twice", async () => {
    const database = await newDatabase();
    const replicas = await startReplicas(3, database);
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

    const rows = await queryRows<{ order: string; payment: string }>(
      database,
      "SELECT payment::json->'metadata'->>'order' AS order, payment FROM payments",
    );
    expect(rows).toHaveLength(done.size);
    expect(new Map(rows.map(({ order, payment }) => [order, JSON.parse(payment)]))).toEqual(done);
    expect(replicas.log()).not.toContain("internal_error");
  });
});

const processingTimeMs = 3_000; // longer than the kill of a process takes
const count = 120; // more than are settled at a time
const declined = { ...card, number: "4000000000000002" };

describe("payments that are pending when the replica that made them is killed", () => {
  it("are settled once each by two others", async () => {
    const database = await newDatabase();
    const time = `${processingTimeMs}ms`;
    const replicas = await startReplicas(3, database, "--processing-time", time);
    const send = sender((await replicas.createKey()).key);
    await queryRows(database, everyChangeIsNoted);

    const [doomed = 0] = replicas.ports;
    const body = { amount: 4999, currency: "eur", card: declined };
    const creating = Array.from({ length: count }, async (_, order) =>
      sendWithRetries(send, urlOf(doomed), { idempotencyKey: `${order}`, body }),
    );
    const statuses = (await Promise.all(creating)).map(({ status }) => status);
    await replicas.end(doomed, "SIGKILL");
    expect(new Set(statuses)).toEqual(new Set([201]));
    const before = await queryRows(database, "SELECT id FROM changes");
    expect(before.length).toBeLessThan(count); // some payments are still to be settled

    // Once all are settled, none can be settled twice any more.
    await expect
      .poll(async () => queryRows(database, "SELECT * FROM charges WHERE due_at_ms IS NOT NULL"))
      .toEqual([]);
    const settled = await queryRows<object>(database, inStatus("failed"));
    expect(settled).toHaveLength(count);
    expect(await queryRows(database, "SELECT id, payment FROM changes ORDER BY id")).toEqual(
      settled,
    );
    expect(replicas.log()).not.toMatch(/internal_error|background work failed/);
  });
});

function inStatus(status: string): string {
  return `SELECT id, payment FROM payments WHERE status = '${status}' ORDER BY id`;
}

/** Records every update of a payment. */
const everyChangeIsNoted = `
  CREATE TABLE changes (id TEXT, payment TEXT);
  CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO changes VALUES (NEW.id, NEW.payment); RETURN NEW; END $$;
  CREATE TRIGGER noted AFTER UPDATE ON payments FOR EACH ROW EXECUTE FUNCTION note()`;
