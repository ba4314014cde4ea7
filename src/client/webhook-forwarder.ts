import type { Event } from "../contract/event.ts";
import { connectDirectly } from "./direct.ts";
import { describeFailure } from "./failure-reason.ts";
import { dispatch } from "./dispatch.ts";
import { poolOptions } from "./transport.ts";
import { signWebhook } from "./webhook-headers.ts";

/** The status with which an address responded to an event, or why it did not, and how long that took. */
export type Forwarded = { tookMs: number } & (
  | { status: number }
  | { status: null; failure: string }
);

export type WebhookForwarder = {
  /** Sends it once, and never rejects. */
  forward: (event: Event) => Promise<Forwarded>;
  /** Also ends the requests under way. */
  close: () => Promise<void>;
};

const maxResponseBytes = 64 * 1024;

/**
 * Sends events to an address of the user's own, as webhooks are sent. Each has a connection of its own:
 * a program in development is restarted again and again, and leaves dead ones behind.
 */
export function createWebhookForwarder(
  url: URL,
  { secret, version, timeoutMs = 15_000 }: { secret: string; version: string; timeoutMs?: number },
): WebhookForwarder {
  const pool = connectDirectly(url, { ...poolOptions, connectTimeout: timeoutMs, pipelining: 0 });
  const { origin, pathname, search } = url;
  return {
    forward: async (event) => {
      const startedMs = performance.now();
      const elapsed = () => ({ tookMs: Math.round(performance.now() - startedMs) });
      const body = JSON.stringify(event);
      const signed = { eventId: event.id, body, secrets: [secret], nowMs: Date.now(), version };
      const request = { method: "POST", origin, path: pathname + search, body } as const;
      try {
        const { status } = await dispatch(
          pool,
          { ...request, headers: signWebhook(signed) },
          { timeoutMs, maxResponseBytes },
        );
        return { status, ...elapsed() };
      } catch (error) {
        const isRefused =
          error instanceof Error && "code" in error && error.code === "ECONNREFUSED";
        const failure = isRefused ? "refused" : describeFailure(error as Error);
        return { status: null, failure, ...elapsed() };
      }
    },
    close: async () => pool.destroy(),
  };
}
