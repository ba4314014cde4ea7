import { monitorEventLoopDelay } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ServiceError } from "../../contract/error.ts";
import { routes } from "../../contract/routes.ts";
import { maxTimerMs } from "../../runtime/promises.ts";
import { countAndReport, type Log } from "../../runtime/log.ts";
import type { Guard } from "./request-guards.ts";
import { isOperationsPath } from "./keyless-routes.ts";
import { trackBytes, trackInFlight } from "./count-load.ts";

/** A healthy service stays far below each of these: see docs/decisions/8-operating.md. */
export const defaultLoadLimits = {
  inFlight: 1_000,
  eventLoopDelayMs: 1_000,
  /** With no more requests in flight a long delay is not theirs: the process was stopped, or another took the CPU. */
  delayCountsAbove: 8,
  heapShare: 0.8,
  /** Of bodies and responses together: an eighth of the heap, and no more than this. */
  bytes: 128 * 1024 * 1024,
  /** How often delay and heap are sampled. */
  sampleEveryMs: 1_000,
  /** Lets requests wait, however long, instead of refusing any: a sandbox fails only where a fault is set. */
  isPatient: false,
};
export type LoadLimits = typeof defaultLoadLimits;
const maxListWaitMs = 2_000;
const logEveryMs = 1_000;

export const shedReasons = [
  "requests_in_flight",
  "bytes_in_flight",
  "event_loop_delay",
  "heap",
] as const;
export type ShedReason = (typeof shedReasons)[number];

export type LoadShedding = (app: FastifyInstance) => Record<
  /** Checks the limits of all requests together, before any work is done for this one. */
  | "beforeAuthentication"
  /** Checks the share of the request's account, so that other accounts find room. */
  | "afterAuthentication",
  Guard
> & {
  /** To be called when the response is made, and once it has left or its client has. */
  countResponse: (request: FastifyRequest, reply: FastifyReply, payload: unknown) => void;
  countClosed: (request: FastifyRequest) => void;
};

/**
 * Refuses requests that there is no room for, so that accepted ones are answered in time. The connection of a
 * refused request is closed: a client that retries at once then waits in the system's queue of new connections,
 * and does not slow accepted requests down (the attack `largest-pages`: else a list waits three times as long). Probes
 * always pass. Error: service_unavailable.
 */
export function shedLoad(
  { log, observe }: { log?: Log; observe?: (reason: ShedReason) => void },
  changes: Partial<LoadLimits> = {},
): LoadShedding {
  const limits = { ...defaultLoadLimits, ...changes };
  return (app) => {
    const load = createLoadSampler();
    app.addHook("onReady", async () => load.start(limits.sampleEveryMs)); // the start itself is no load
    app.addHook("onClose", async () => load.stop());
    const heapBytes = computeHeapLimitBytes();
    const inFlight = trackInFlight(app, limits.inFlight);
    const bytes = trackBytes(app, Math.min(limits.bytes, heapBytes / 8), {
      inFlight,
      maxWaitMs: limits.isPatient ? maxTimerMs : maxListWaitMs,
      refuse: (request, reply) => {
        if (!limits.isPatient) refuse(request, reply, "bytes_in_flight");
      },
    });

    let lastReason: ShedReason | undefined;
    const logRefusal = countAndReport(logEveryMs, (refused) => {
      const fields = { reason: lastReason, refused, in_flight: inFlight.count() };
      log?.error(fields, "overloaded: shedding load");
    });

    function refuse(request: FastifyRequest, reply: FastifyReply, reason: ShedReason): never {
      request.isShed = true;
      reply.header("connection", "close");
      observe?.(reason);
      lastReason = reason;
      logRefusal();
      throw new ServiceError(
        "service_unavailable",
        "The service is overloaded. Try again after as many seconds as Retry-After says.",
      );
    }

    function findReason(request: FastifyRequest): ShedReason | undefined {
      if (limits.isPatient) return undefined;
      if (!inFlight.hasRoomFor(request)) return "requests_in_flight";
      if (!bytes.isWithinLimit()) return "bytes_in_flight";
      const { eventLoopDelayMs, heapUsedBytes } = load.current();
      const isLoaded = inFlight.count() > limits.delayCountsAbove;
      if (isLoaded && eventLoopDelayMs > limits.eventLoopDelayMs) return "event_loop_delay";
      return heapUsedBytes > heapBytes * limits.heapShare ? "heap" : undefined;
    }

    function admit(request: FastifyRequest, reply: FastifyReply): void {
      const reason = findReason(request);
      if (reason) refuse(request, reply, reason);
      if (!request.is404) inFlight.add(request); // nothing is done for a path that does not exist
    }

    // On their routes alone: as hooks of the app they would cost each retrieve as much as its key.
    app.addHook("onRoute", (route) => {
      if (route.method === "POST") {
        // A request whose body is still arriving is not in flight: else a thousand slow clients without a key would
        // block all others. It is admitted a second time when the body has arrived.
        route.preParsing = (request, reply, payload, next) => {
          if (!request.raw.complete) inFlight.remove(request);
          bytes.takeBody(request, reply);
          next(null, payload);
        };
        route.preValidation = (request, reply, next) => {
          if (request.inFlightOwner === undefined) admit(request, reply);
          next();
        };
      } else if (route.url === routes.listPayments.path) {
        route.preHandler = (request, reply, next) => bytes.takeList(request, reply) ?? next();
      }
    });

    return {
      beforeAuthentication: (request, reply) => {
        if (!isOperationsPath(request.url)) admit(request, reply);
      },
      afterAuthentication: (request, reply) => {
        inFlight.remove(request);
        admit(request, reply);
      },
      countResponse: (request, reply, payload) => {
        inFlight.remove(request);
        bytes.takeResponse(request, reply, payload);
      },
      countClosed: bytes.release,
    };
  };
}

const delayResolutionMs = 10;

/**
 * Samples the mean delay of the event loop and the heap in use. Nothing here may open a file, as
 * `process.memoryUsage` does: a timer's error ends the process, and there may be no descriptor left.
 */
function createLoadSampler() {
  const delays = monitorEventLoopDelay({ resolution: delayResolutionMs });
  const sampled = { eventLoopDelayMs: 0, heapUsedBytes: 0 };
  let sampling: NodeJS.Timeout | undefined;
  function sample(): void {
    // Without a single measurement the loop stood still for all of the interval.
    const meanMs = Number.isNaN(delays.mean) ? Infinity : delays.mean / 1e6;
    sampled.eventLoopDelayMs = Math.max(0, meanMs - delayResolutionMs);
    sampled.heapUsedBytes = getHeapStatistics().used_heap_size;
    delays.reset();
  }
  return {
    current: () => sampled,
    start: (everyMs: number) => {
      delays.enable();
      sampling = setInterval(sample, everyMs).unref();
    },
    stop: () => {
      clearInterval(sampling);
      delays.disable();
    },
  };
}

/** V8's own limit includes the room for new objects, which those that stay cannot use. */
export function computeHeapLimitBytes(): number {
  const newSpaceBytes = 192 * 1024 * 1024;
  const { heap_size_limit: limit } = getHeapStatistics();
  return Math.max(limit - newSpaceBytes, limit / 4);
}
