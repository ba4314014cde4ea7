import { getHeapStatistics } from "node:v8";
import underPressure from "@fastify/under-pressure";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ServiceError } from "../service/service-error.ts";
import type { GuardSetup } from "./guard.ts";
import type { Log } from "./log.ts";
import { isOperationsPath } from "./routes/operations.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Refused because of overload, before anything was done for it. */
    isShed?: boolean;
    /** Its answer is still being made. */
    isAtWork?: boolean;
  }
}

/** A healthy service stays far below each of these: see docs/decisions/8-operating.md. */
export const overloadLimits = { inFlight: 1_000, eventLoopDelayMs: 1_000, heapShare: 0.9 };
const sampleEveryMs = 1_000;
const logEveryMs = 1_000;

export const overloadReasons = ["requests_in_flight", "event_loop_delay", "heap"] as const;
export type OverloadReason = (typeof overloadReasons)[number];

/**
 * Refuses requests that there is no room for, before authentication or any other work, so that those
 * which were accepted are answered in time. A refused one's connection is closed: so whoever comes
 * back at once waits in the system's queue of new connections, and takes no turn from the accepted
 * ones. Probes always pass. Error: service_unavailable.
 */
export function shedOverload(tell: {
  log?: Log;
  observe?: (reason: OverloadReason) => void;
}): GuardSetup {
  return (app) => {
    void app.register(underPressure, { sampleInterval: sampleEveryMs });
    const flights = countFlights(app);
    const maxHeapBytes = getHeapStatistics().heap_size_limit * overloadLimits.heapShare;
    const logged = { atMs: -Infinity, refused: 0 };

    function reasonToShed(): OverloadReason | undefined {
      if (flights.count() >= overloadLimits.inFlight) return "requests_in_flight";
      const { eventLoopDelay, heapUsed } = app.memoryUsage();
      if (eventLoopDelay > overloadLimits.eventLoopDelayMs) return "event_loop_delay";
      return heapUsed > maxHeapBytes ? "heap" : undefined;
    }

    /** One line a second: a line for each would be the work that there is no room for. */
    function log(reason: OverloadReason): void {
      logged.refused++;
      if (performance.now() < logged.atMs + logEveryMs) return;
      const { refused } = logged;
      tell.log?.error({ reason, refused, in_flight: flights.count() }, "overloaded: shedding load");
      Object.assign(logged, { atMs: performance.now(), refused: 0 });
    }

    return (request, reply) => {
      if (isOperationsPath(request.url)) return;
      const reason = reasonToShed();
      if (!reason) {
        flights.begin(request, reply);
        return;
      }
      request.isShed = true;
      reply.header("connection", "close");
      tell.observe?.(reason);
      log(reason);
      throw new ServiceError(
        "service_unavailable",
        "The service has more requests than it can take at the moment. Try again after as many seconds as Retry-After says.",
      );
    };
  };
}

/**
 * Counts the requests that were accepted and are not over: over is one whose connection is done with
 * it and for which nothing is being done any more. A client that leaves does not end the work.
 */
function countFlights(app: FastifyInstance) {
  let count = 0;
  app.decorateRequest("isShed", false);
  app.decorateRequest("isAtWork", false);
  app.addHook("onSend", (request, reply, _payload, next) => {
    if (request.isAtWork && reply.raw.closed) count--;
    request.isAtWork = false;
    next();
  });
  return {
    count: () => count,
    begin: (request: FastifyRequest, reply: FastifyReply) => {
      count++;
      request.isAtWork = true;
      reply.raw.once("close", () => {
        if (!request.isAtWork) count--;
      });
    },
  };
}
