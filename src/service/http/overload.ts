import type { Server } from "node:http";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ServiceError } from "../domain/service-error.ts";
import type { PromptGuard } from "./admit.ts";
import { createByteBudget } from "./byte-room.ts";
import { countBytes } from "./count-bytes.ts";
import { trackInFlight } from "./count-flights.ts";
import { countAndTell, type Log } from "./log.ts";
import { isOperationsPath } from "./routes/operations.ts";

/** A healthy service stays far below each of these: see docs/decisions/8-operating.md. */
export const overloadLimits = {
  inFlight: 1_000,
  eventLoopDelayMs: 1_000,
  heapShare: 0.8,
  /** What bodies and answers may take together: an eighth of the heap, and no more than this. */
  bytes: 128 * 1024 * 1024,
  /** How often delay and heap are looked at. */
  sampleEveryMs: 1_000,
};
export type OverloadLimits = typeof overloadLimits;
const logEveryMs = 1_000;

export const overloadReasons = [
  "requests_in_flight",
  "bytes_in_flight",
  "event_loop_delay",
  "heap",
] as const;
export type OverloadReason = (typeof overloadReasons)[number];

/** Sets two guards up: one for before it is known who makes a request, and one for when its key has been looked up. */
export type Shedding = (app: FastifyInstance) => { first: PromptGuard; known: PromptGuard };

/**
 * Refuses requests that there is no room for, before authentication or any other work, so that those
 * which were accepted are answered in time; and right after authentication those of an account that has its share of
 * the room already, so that others find some. A refused one's connection is closed: so whoever comes
 * back at once waits in the system's queue of new connections, and takes no turn from the accepted
 * ones. Probes always pass. Error: service_unavailable.
 */
export function shedOverload(
  tell: { log?: Log; observe?: (reason: OverloadReason) => void },
  changes: Partial<OverloadLimits> = {},
): Shedding {
  const limits = { ...overloadLimits, ...changes };
  return (app) => {
    const load = sampleLoad();
    // What the start itself holds up is no load.
    app.addHook("onReady", async () => load.start(limits.sampleEveryMs));
    app.addHook("onClose", async () => load.stop());
    const heapBytes = heapRoomBytes();
    const room = createByteBudget(
      Math.min(limits.bytes, heapBytes / 8),
      newConnections(app.server),
    );
    const flights = trackInFlight(app, limits.inFlight, admit);
    countBytes(app, room, flights, (request, reply) => refuse(request, reply, "bytes_in_flight"));

    let lastReason: OverloadReason | undefined;
    const logRefusal = countAndTell(logEveryMs, (refused) => {
      const fields = { reason: lastReason, refused, in_flight: flights.count() };
      tell.log?.error(fields, "overloaded: shedding load");
    });

    function refuse(request: FastifyRequest, reply: FastifyReply, reason: OverloadReason): never {
      request.isShed = true;
      reply.header("connection", "close");
      tell.observe?.(reason);
      lastReason = reason;
      logRefusal();
      throw new ServiceError(
        "service_unavailable",
        "The service has more requests than it can take at the moment. Try again after as many seconds as Retry-After says.",
      );
    }

    function reasonToShed(request: FastifyRequest): OverloadReason | undefined {
      if (!flights.hasRoomFor(request)) return "requests_in_flight";
      if (!room.hasRoomFor(0)) return "bytes_in_flight";
      const { eventLoopDelayMs, heapUsedBytes } = load.current();
      if (eventLoopDelayMs > limits.eventLoopDelayMs) return "event_loop_delay";
      return heapUsedBytes > heapBytes * limits.heapShare ? "heap" : undefined;
    }

    function admit(request: FastifyRequest, reply: FastifyReply): void {
      const reason = reasonToShed(request);
      if (reason) refuse(request, reply, reason);
      if (!request.is404) flights.enter(request); // nothing is done for a path that does not exist
    }

    return {
      first: (request, reply) => {
        if (!isOperationsPath(request.url)) admit(request, reply);
      },
      known: (request, reply) => {
        flights.leave(request);
        admit(request, reply);
      },
    };
  };
}

const delayResolutionMs = 10;

/**
 * Samples the mean delay of the event loop and the heap in use. Nothing here may need a file: a timer's
 * error is caught by nobody, and there may be no descriptor left (`process.memoryUsage` opens a file).
 */
function sampleLoad() {
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

/** Tells whether a connection has come since it was last asked. */
function newConnections(server: Server): () => boolean {
  let hasCome = false;
  server.on("connection", () => (hasCome = true));
  return () => {
    const had = hasCome;
    hasCome = false;
    return had;
  };
}

/** V8's own limit counts the room for new objects, too, which those that stay cannot use. */
export function heapRoomBytes(): number {
  const forNewObjects = 192 * 1024 * 1024;
  const { heap_size_limit: limit } = getHeapStatistics();
  return Math.max(limit - forNewObjects, limit / 4);
}
