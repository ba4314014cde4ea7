import { getHeapStatistics } from "node:v8";
import underPressure from "@fastify/under-pressure";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ServiceError } from "../use-cases/service-error.ts";
import type { Guard, GuardSetup } from "./authenticate.ts";
import type { Log } from "./log.ts";
import { isOperationsPath } from "./routes/operations.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Refused because of overload, before anything was done for it. */
    isShed?: boolean;
    isInFlight?: boolean;
  }
}

/** A healthy service stays far below each of these: see docs/decisions/8-operating.md. */
export const overloadLimits = {
  inFlight: 1_000,
  eventLoopDelayMs: 1_000,
  heapShare: 0.8,
  /** How often delay and heap are looked at. */
  sampleEveryMs: 1_000,
};
export type OverloadLimits = typeof overloadLimits;
const logEveryMs = 1_000;

export const overloadReasons = ["requests_in_flight", "event_loop_delay", "heap"] as const;
export type OverloadReason = (typeof overloadReasons)[number];

/**
 * Refuses requests that there is no room for, before authentication or any other work, so that those
 * which were accepted are answered in time. A refused one's connection is closed: so whoever comes
 * back at once waits in the system's queue of new connections, and takes no turn from the accepted
 * ones. Probes always pass. Error: service_unavailable.
 */
export function shedOverload(
  tell: { log?: Log; observe?: (reason: OverloadReason) => void },
  changes: Partial<OverloadLimits> = {},
): GuardSetup {
  const limits = { ...overloadLimits, ...changes };
  return (app) => {
    void app.register(underPressure, { sampleInterval: limits.sampleEveryMs });
    const flights = countFlights(app, refuseOverload);
    const maxHeapBytes = heapRoomBytes() * limits.heapShare;
    const logged = { atMs: -Infinity, refused: 0 };

    function refuseOverload(request: FastifyRequest, reply: FastifyReply): void {
      const reason = reasonToShed();
      if (!reason) return;
      request.isShed = true;
      reply.header("connection", "close");
      tell.observe?.(reason);
      log(reason);
      throw new ServiceError(
        "service_unavailable",
        "The service has more requests than it can take at the moment. Try again after as many seconds as Retry-After says.",
      );
    }

    function reasonToShed(): OverloadReason | undefined {
      if (flights.count() >= limits.inFlight) return "requests_in_flight";
      const { eventLoopDelay, heapUsed } = app.memoryUsage();
      if (eventLoopDelay > limits.eventLoopDelayMs) return "event_loop_delay";
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
      refuseOverload(request, reply);
      if (!request.is404) flights.enter(request); // nothing is done for a path that does not exist
    };
  };
}

/** V8's own limit counts the room for new objects, too, which those that stay cannot use. */
function heapRoomBytes(): number {
  const forNewObjects = 192 * 1024 * 1024;
  const { heap_size_limit: limit } = getHeapStatistics();
  return Math.max(limit - forNewObjects, limit / 4);
}

/**
 * Counts the requests that are being worked on: from their acceptance until their answer is made,
 * also when their client has left. While a body is still on its way nothing is done for it: otherwise
 * a thousand clients that send theirs slowly, with no key at all, would keep everybody else out.
 */
function countFlights(app: FastifyInstance, refuse: Guard) {
  let count = 0;
  const enter = (request: FastifyRequest) => {
    count++;
    request.isInFlight = true;
  };
  const leave = (request: FastifyRequest) => {
    if (request.isInFlight) count--;
    request.isInFlight = false;
  };
  app.decorateRequest("isShed", false);
  app.decorateRequest("isInFlight", false);
  app.addHook("onRoute", (route) => {
    if (route.method !== "POST") return; // the others have no body
    route.preParsing = (request, _reply, payload, next) => {
      if (!request.raw.complete) leave(request);
      next(null, payload);
    };
    route.preValidation = (request, reply, next) => {
      if (!request.isInFlight) {
        void refuse(request, reply);
        enter(request);
      }
      next();
    };
  });
  app.addHook("onSend", (request, _reply, payload, next) => {
    leave(request);
    next(null, payload);
  });
  return { count: () => count, enter };
}
