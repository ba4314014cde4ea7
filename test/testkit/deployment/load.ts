import { setTimeout as delay } from "node:timers/promises";
import { Agent, request } from "undici";
import { expect, onTestFinished } from "vitest";
import { queryDatabase } from "./replicas.ts";

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
  const rows = await queryDatabase<{ order: string; id: string; status: string }>(
    database,
    "SELECT payment::json->'metadata'->>'order' AS order, id, status FROM payments",
  );
  const payments = new Map(rows.map(({ order, id, status }) => [order, { id, status }]));
  expect(payments.size).toBe(rows.length);
  return payments;
}

/** The outcome of a request: a response, or a connection that ended before it. */
export type Outcome = {
  /** 0: no response. */
  status: number;
  body: string;
  /** The code of the API's error, or of the connection's. */
  code: string;
  retryAfter: string | undefined;
  sentAtMs: number;
  endedAtMs: number;
};

export type Sent = { idempotencyKey?: string; path?: string; body?: object };
export type Sender = (url: string, sent: Sent) => Promise<Outcome>;

export const card = { number: "4242424242424242", exp_month: 12, exp_year: 2040, cvc: "123" };

/** Sends each request once, on kept-alive connections. */
export function sender(apiKey: string, connections = 100): Sender {
  const agent = new Agent({ connections });
  onTestFinished(async () => agent.destroy());
  return async (url, { idempotencyKey, path = "/v1/payments", body }) => {
    const sentAtMs = performance.now();
    const withTimes = (outcome: Pick<Outcome, "status" | "body" | "code" | "retryAfter">) => ({
      ...outcome,
      sentAtMs,
      endedAtMs: performance.now(),
    });
    try {
      const answer = await request(`${url}${path}`, {
        dispatcher: agent,
        method: idempotencyKey || body ? "POST" : "GET",
        headers: {
          authorization: `Bearer ${apiKey}`,
          ...(idempotencyKey && { "idempotency-key": idempotencyKey }),
          ...(body && { "content-type": "application/json" }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await answer.body.text();
      const retryAfter = answer.headers["retry-after"] as string | undefined;
      const code = answer.statusCode < 400 ? "" : readErrorCode(text);
      return withTimes({ status: answer.statusCode, body: text, code, retryAfter });
    } catch (error) {
      if (agent.destroyed) throw error; // the test is over
      await delay(10);
      const code = String((error as NodeJS.ErrnoException).code ?? error);
      return withTimes({ status: 0, body: "", code, retryAfter: undefined });
    }
  };
}

/** Whether the connection was refused, so that nothing was sent. */
export function isUnsent({ code }: Outcome): boolean {
  return code === "ECONNREFUSED";
}

/** Whether the documentation announces the failure, and the same request can be retried. */
export function isTransient({ status, code, retryAfter }: Outcome): boolean {
  if (status === 0) return !code.includes("TIMEOUT");
  const isAnnounced =
    (status === 409 && code === "idempotency_key_in_use") ||
    (status === 503 && code === "service_unavailable");
  return isAnnounced && retryAfter !== undefined;
}

/** Retries a request where the service says to, as on a machine that is too busy. */
export async function sendWithRetries(send: Sender, url: string, sent: Sent): Promise<Outcome> {
  for (let attempts = 0; ; attempts++) {
    const outcome = await send(url, sent);
    if (!isTransient(outcome) || attempts === 20) return outcome;
    await delay(100);
  }
}

function readErrorCode(body: string): string {
  try {
    return (JSON.parse(body) as { error: { code: string } }).error.code;
  } catch {
    return `no envelope: ${body.slice(0, 100)}`;
  }
}
