import rateLimit from "@fastify/rate-limit";
import type { FastifyRequest } from "fastify";
import { ServiceError } from "../domain/service-error.ts";
import type { GuardSetup } from "./admit.ts";
import { WindowCounts } from "./window-counts.ts";

const windowMs = 1_000;
/** Keys that are counted at a time. */
const maxKeys = 10_000;

/**
 * Lets each key make so many requests a second on this replica. Counted by the key's id, in windows
 * of a second that begin with a key's first request. Error: rate_limit_exceeded.
 */
export function limitRate(perSecond: number): GuardSetup {
  return (app) => {
    void app.register(rateLimit, {
      global: false,
      max: perSecond,
      timeWindow: windowMs,
      store: RequestCounts,
      keyGenerator: (request: FastifyRequest) => request.principal.keyId,
    });
    let count: ReturnType<typeof app.createRateLimit> | undefined;
    app.after(() => (count = app.createRateLimit()));
    return async (request, reply) => {
      const counted = await count?.(request);
      if (!counted || counted.isAllowed) return;
      const waitSeconds = Math.max(1, counted.ttlInSeconds);
      reply.headers({
        "x-ratelimit-limit": counted.max,
        "x-ratelimit-remaining": counted.remaining,
        "x-ratelimit-reset": waitSeconds,
      });
      if (!counted.isExceeded) return;
      reply.header("retry-after", waitSeconds);
      throw new ServiceError(
        "rate_limit_exceeded",
        `This key may make ${perSecond} requests a second. Wait as many seconds as Retry-After says, then go on more slowly.`,
      );
    };
  };
}

type Counted = (error: Error | null, counts: { current: number; ttl: number }) => void;

/**
 * The library's own store gives the count out as an object that it goes on counting in: of requests that arrive
 * at once each would read the count of the last.
 */
class RequestCounts {
  readonly #counts = new WindowCounts(windowMs, maxKeys);

  incr(key: string, counted: Counted): void {
    const { count, leftMs } = this.#counts.add(key);
    counted(null, { current: count, ttl: leftMs });
  }

  child(): this {
    return this; // a route of its own count is not used here
  }
}
