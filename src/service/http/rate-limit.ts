import { WindowCounts } from "../../runtime/window-counts.ts";
import { ServiceError } from "../domain/service-error.ts";
import type { Guard } from "./request-guards.ts";

const rateWindowMs = 1_000;
/** Keys that are counted at a time. */
const maxRatedKeys = 10_000;

/**
 * Lets each key make so many requests a second on this replica, in windows of a second that begin with a key's
 * first request. Error: rate_limit_exceeded.
 */
export function limitRate(perSecond: number): Guard {
  const counts = new WindowCounts(rateWindowMs, maxRatedKeys);
  return ({ principal }, reply) => {
    const { count, leftMs } = counts.add(principal.keyId);
    const waitSeconds = Math.max(1, Math.ceil(leftMs / 1000));
    reply.headers({
      "x-ratelimit-limit": perSecond,
      "x-ratelimit-remaining": Math.max(0, perSecond - count),
      "x-ratelimit-reset": waitSeconds,
    });
    if (count <= perSecond) return;
    throw new ServiceError(
      "rate_limit_exceeded",
      `This key may make ${perSecond} requests a second. Wait for as many seconds as Retry-After says, then send fewer.`,
    );
  };
}
