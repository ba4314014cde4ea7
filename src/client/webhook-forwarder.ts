import type { Event } from "../contract/event.ts";
import { type EventType, allEventTypes } from "../contract/field-values.ts";
import { connectDirectly } from "../runtime/direct.ts";
import { describeFailure, dispatch, poolOptions } from "../runtime/http-transport.ts";
import { assertConfidential } from "../runtime/transport-safety.ts";
import { signWebhook } from "../runtime/sign-webhook.ts";

/** The status with which an address responded to an event, or why it did not, and how long that took. */
export type Forwarded = { tookMs: number } & (
  | { status: number; response?: ForwardedResponse }
  | { status: null; failure: string }
);

/** The response of an address: the words after its status, and the beginning of its body. */
type ForwardedResponse = { statusText: string; body: string; isCut: boolean };

/** The address for each type of event, and for the rest of them. */
export type Routes = ReadonlyMap<EventType | typeof allEventTypes, URL>;

export type WebhookForwarder = {
  /** Sends it once, and never rejects; undefined where no route is for its type. */
  forward: (event: Event) => Promise<Forwarded | undefined>;
  /** Also ends the requests under way. */
  close: () => Promise<void>;
};

const maxResponseBytes = 64 * 1024;
const maxShownBytes = 4 * 1024;
const maxConnectMs = 15_000;

type ForwarderOptions = {
  secret: string;
  version: string;
  /** The service's time, in Unix milliseconds: that of a sandbox is its own. */
  nowMs: () => number;
  /** For each request, from its connection to the end of the response. */
  timeoutMs: number;
  /** Sent beside those of a webhook, which they do not replace. */
  headers?: Record<string, string[]>;
  /** Whether the events are live: those of customers go over plain http to this machine alone. */
  isLive: boolean;
  allowHttp?: boolean | undefined;
};

/** Throws a `TypeError` for an address on the way to which others could read live events. */
export function assertMayForward(
  url: URL,
  { isLive, allowHttp }: Pick<ForwarderOptions, "isLive" | "allowHttp">,
): void {
  if (!isLive) return;
  assertConfidential(url.href, { what: "live events", option: "The address", allowHttp, isLive });
}

/**
 * Sends events to addresses of the user's own, as webhooks are sent. Throws what `assertMayForward` throws. Each has a
 * connection of its own: a program in development is restarted again and again, and leaves dead ones behind.
 */
export function createWebhookForwarder(
  routes: Routes,
  { secret, version, nowMs, timeoutMs, headers: own = {}, ...safety }: ForwarderOptions,
): WebhookForwarder {
  for (const url of routes.values()) assertMayForward(url, safety);
  const connectTimeout = Math.min(timeoutMs, maxConnectMs);
  const connect = (url: URL) =>
    connectDirectly(url, { ...poolOptions, connectTimeout, pipelining: 0 });
  const targets = new Map([...routes].map(([type, url]) => [type, { url, pool: connect(url) }]));
  return {
    forward: async (event) => {
      const target = targets.get(event.type) ?? targets.get(allEventTypes);
      if (!target) return undefined;
      const { origin, pathname, search } = target.url;
      const startedMs = performance.now();
      const elapsed = () => ({ tookMs: Math.round(performance.now() - startedMs) });
      const body = JSON.stringify(event);
      const signed = { eventId: event.id, body, secrets: [secret], nowMs: nowMs(), version };
      const request = { method: "POST", origin, path: pathname + search, body } as const;
      try {
        const headers = { ...own, ...signWebhook(signed) };
        const limits = { timeoutMs, maxResponseBytes };
        const { status, ...response } = await dispatch(
          target.pool,
          { ...request, headers },
          limits,
        );
        return { status, response: toShown(response), ...elapsed() };
      } catch (error) {
        const isRefused = Error.isError(error) && "code" in error && error.code === "ECONNREFUSED";
        const failure = isRefused ? "refused" : describeFailure(error);
        return { status: null, failure, ...elapsed() };
      }
    },
    close: async () => {
      await Promise.all(targets.values().map(async ({ pool }) => pool.destroy()));
    },
  };
}

/** Keeps the whole characters within the first bytes of a body. */
function toShown({ statusText, body, isCut }: ForwardedResponse): ForwardedResponse {
  const bytes = Buffer.from(body);
  if (bytes.length <= maxShownBytes) return { statusText, body, isCut };
  const start = new TextDecoder().decode(bytes.subarray(0, maxShownBytes), { stream: true });
  return { statusText, body: start, isCut: true };
}
