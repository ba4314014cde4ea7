import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import { queryRows } from "./replicas.ts";
import { card, isTransient, type Outcome, type Sender, type Sent } from "./sender.ts";

const clients = 20;

type UrlOutcome = Outcome & { url: string };
/** Payments' ids and statuses, by order. */
type Payments = Map<string, { id: string; status: string }>;

/**
 * Starts clients that each make one payment after the other, and refund every second one; a client repeats a
 * request until it is acknowledged, or refused for good.
 */
export function startLoad(urls: string[], send: Sender) {
  const outcomes: UrlOutcome[] = [];
  const acknowledged: Payments = new Map();
  const ending = new AbortController();

  async function sendUntilDone(url: string, sent: Sent): Promise<Outcome> {
    for (;;) {
      const outcome = await send(url, sent);
      outcomes.push({ ...outcome, url });
      await delay(100);
      const isOver = !isTransient(outcome) || outcome.status === 0; // 0: a replica that crashed
      if (isOver) return outcome;
    }
  }
  async function pay(url: string, order: string): Promise<string | undefined> {
    const body = { amount: 4999, currency: "eur", card, metadata: { order } };
    const outcome = await sendUntilDone(url, { idempotencyKey: order, body });
    if (!isDone(outcome)) return undefined;
    const { id } = JSON.parse(outcome.body) as { id: string };
    acknowledged.set(order, { id, status: "succeeded" });
    return id;
  }
  async function refund(url: string, order: string, id: string): Promise<void> {
    const path = `/v1/payments/${id}/refund`;
    const refunded = await sendUntilDone(url, { idempotencyKey: `${order}-refund`, path });
    if (isDone(refunded)) acknowledged.set(order, { id, status: "refunded" });
  }

  const running = Array.from({ length: clients }, async (_, client) => {
    const url = urls[client % urls.length] ?? "";
    for (let count = 0; !ending.signal.aborted; count++) {
      const order = `${client}-${count}`;
      const id = await pay(url, order);
      if (id && count % 2 === 1) await refund(url, order, id);
    }
  });
  async function waitForStatus(all: string[], status: number, sinceMs: number): Promise<void> {
    const hasAnswered = (url: string) =>
      outcomes.some(
        (each) => each.url === url && each.status === status && each.endedAtMs > sinceMs,
      );
    await expect.poll(() => all.every(hasAnswered)).toBe(true);
  }

  return {
    /** Resolves when each replica has made a payment since then. */
    untilServed: async (all: string[], sinceMs: number) => waitForStatus(all, 201, sinceMs),
    /** Resolves when each replica has answered 503 since then. */
    untilRefused: async (all: string[], sinceMs: number) => waitForStatus(all, 503, sinceMs),
    end: async () => {
      ending.abort();
      await Promise.all(running);
      return { outcomes, acknowledged };
    },
  };
}

/** Whether a payment was made, or refunded. */
export function isDone({ status }: Outcome): boolean {
  return status === 201 || status === 200;
}

/** Reads a load's payments from the database; none may be there twice. */
export async function readPayments(database: string): Promise<Payments> {
  const rows = await queryRows<{ order: string; id: string; status: string }>(
    database,
    "SELECT payment::json->'metadata'->>'order' AS order, id, status FROM payments",
  );
  const payments = new Map(rows.map(({ order, id, status }) => [order, { id, status }]));
  expect(payments.size).toBe(rows.length);
  return payments;
}
