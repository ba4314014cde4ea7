import { setTimeout as delay } from "node:timers/promises";
import { Agent, request } from "undici";
import { onTestFinished } from "vitest";

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
