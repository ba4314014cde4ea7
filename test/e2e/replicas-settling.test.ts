import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { newDatabase } from "../new-database.ts";
import { rowsOf, startReplicas, urlOf, type Replicas } from "./replicas.ts";
import { card, sender } from "./sender.ts";

const processingTimeMs = 2_000;
const declined = { ...card, number: "4000000000000002" };

describe("a payment that is pending on three replicas", () => {
  it("is settled by another one when that which made it is killed at once", async () => {
    const { database, replicas, create } = await start();
    const [doomed = 0] = replicas.ports;
    await create(doomed, 100);
    const madeAtMs = performance.now();
    await replicas.end(doomed, "SIGKILL");
    expect(await countOf(database, "pending")).toBe(100);
    await delay(madeAtMs + 2 * processingTimeMs - performance.now());
    expect(await countOf(database, "failed")).toBe(100);
  }, 60_000);

  it("is settled once, whichever of them does it", async () => {
    const { database, replicas, create } = await start();
    await rowsOf(database, everyChangeIsNoted);
    await Promise.all(replicas.ports.map(async (port) => create(port, 150)));
    while ((await countOf(database, "failed")) < 450) await delay(50);
    const settled = await rowsOf<object>(database, "SELECT id, payment FROM payments ORDER BY id");
    await delay(processingTimeMs); // what would be done twice would be done by then
    expect(await rowsOf(database, "SELECT id, payment FROM payments ORDER BY id")).toEqual(settled);
    const changes = await rowsOf(database, "SELECT id, payment FROM changes ORDER BY id");
    expect(changes).toEqual(settled);
    expect(await rowsOf(database, "SELECT * FROM settlements")).toEqual([]);
    expect(replicas.log()).toBe("");
  }, 60_000);
});

/** Keeps what each update made of a payment. */
const everyChangeIsNoted = `
  CREATE TABLE changes (id TEXT, payment TEXT);
  CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO changes VALUES (NEW.id, NEW.payment); RETURN NEW; END $$;
  CREATE TRIGGER noted AFTER UPDATE ON payments FOR EACH ROW EXECUTE FUNCTION note()`;

async function start() {
  const database = await newDatabase();
  const time = `${processingTimeMs}ms`;
  const replicas: Replicas = await startReplicas(3, database, "--processing-time", time);
  const send = sender((await replicas.createKey()).key);
  const body = { amount: 4999, currency: "eur", card: declined };
  const create = async (port: number, count: number) => {
    const creating = Array.from({ length: count }, async () => send(urlOf(port), { body }));
    const statuses = (await Promise.all(creating)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([201]));
  };
  return { database, replicas, create };
}

async function countOf(database: string, status: string): Promise<number> {
  const sql = `SELECT COUNT(*)::int AS n FROM payments WHERE status = '${status}'`;
  return (await rowsOf<{ n: number }>(database, sql))[0]?.n ?? 0;
}
