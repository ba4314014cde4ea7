import { describe, expect, it } from "vitest";
import { newDatabase } from "../testkit/database/new-database.ts";
import { queryRows, startReplicas, urlOf } from "../testkit/deployment/replicas.ts";
import { card, sender, sendWithRetries } from "../testkit/deployment/sender.ts";

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
