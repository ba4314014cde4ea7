import { monitorEventLoopDelay } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ServiceError } from "../../contract/error.ts";
import { defaultPageSize } from "../../contract/field-values.ts";
import { routes } from "../../contract/routes.ts";
import { FairShares, createFairSemaphore } from "../../runtime/fair-semaphore.ts";
import { type Log, countAndReport } from "../../runtime/log.ts";
import { maxTimerMs } from "../../runtime/promises.ts";
import type { Principal } from "../accounts/accounts-service.ts";
import { maxPageBytes, maxPaymentBytes } from "../database/listing.ts";
import { getAnnouncedBodyBytes, prioritizeAccepting } from "./http-server.ts";
import { isOperationsPath } from "./keyless-routes.ts";
import { type Guard, isApiPath } from "./request-guards.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Refused because of overload, before any work was done for it. */
    isShed?: boolean;
    /** The owner whose share it uses while it is in flight. */
    inFlightOwner?: string | undefined;
    /** The bytes that count for its body, then for its response. */
    usedBytes: number;
    /** The bytes that count for a list while it is read. */
    listBytes: number;
    /** Ends the wait of a list for room. */
    giveUp: (() => void) | undefined;
  }
}

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
      if (route.method === "POST" || route.method === "DELETE") {
        // A request whose body is still arriving is not in flight: else a thousand slow clients without a key would
        // block all others. It is admitted a second time when the body has arrived.
        route.preParsing = (request, reply, payload, next) => {
          if (!request.raw.complete) inFlight.remove(request);
          // Fastify would wait for ever for the end of its body, and the request would stay in flight.
          if (request.raw.destroyed) throw createLeftError("its body was read");
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

function createLeftError(before: string): ServiceError {
  return new ServiceError("malformed_request", `The client left before ${before}.`);
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

type InFlight = ReturnType<typeof trackInFlight>;

/**
 * Counts the requests in flight, `limit` at most. A request is in flight until its response is made, even if its
 * client has left. Accounts share the limit, and each leaves a quarter to others.
 */
function trackInFlight(app: FastifyInstance, limit: number) {
  const shares = new FairShares(limit);
  const remove = (request: FastifyRequest) => {
    if (request.inFlightOwner !== undefined) shares.change([request.inFlightOwner], -1);
    request.inFlightOwner = undefined;
  };
  const add = (request: FastifyRequest) => {
    remove(request);
    request.inFlightOwner = findOwner(request);
    shares.change([request.inFlightOwner], 1);
  };
  app.decorateRequest("isShed", false);
  app.decorateRequest("inFlightOwner");
  return {
    count: () => shares.count(),
    /** Whether one more may be in flight. Its owner is not known before authentication. */
    hasRoomFor: (request: FastifyRequest): boolean => {
      const owner = findOwner(request);
      return owner === unknownOwner ? shares.count() < limit : shares.canTake([owner]);
    },
    add,
    remove,
  };
}

/** The slots and the place that a list takes while it is read. */
type Room = { size: number; leaves: number; when: () => boolean; onTake: () => void };

/** A smaller body takes no more than its connection does. */
const smallBodyBytes = 4 * 1024;
/**
 * For lists that are read at the same time. More would only wait for the processor, and all others with them: under the
 * attack `largest-pages` nobody else is served then.
 */
const maxListBytes = 8 * 1024 * 1024;
/** Of the room, what the largest lists leave to smaller ones. */
const leftByLargest = 0.25;
/** Of the room, what bodies leave to all else: else an account that sends none of them keeps others from large lists. */
const leftByBodies = 0.5;

/**
 * Counts the memory of requests, `limit` bytes at most, which accounts share: a large body by its announced length, a
 * response until it has left. A list counts with its largest possible size while it is read: else the attack
 * `largest-pages` ends the process. It waits until there is room for that, for `maxWaitMs`, and is not in flight
 * meanwhile. `refuse` throws, unless all requests are to be let in.
 */
function trackBytes(
  app: FastifyInstance,
  limit: number,
  { inFlight, maxWaitMs, refuse }: { inFlight: InFlight; maxWaitMs: number; refuse: Guard },
) {
  const budget = createFairSemaphore({ slots: limit });
  let listBytes = 0;
  const runAfterAccepting = prioritizeAccepting(app.server);
  app.decorateRequest("usedBytes", 0);
  app.decorateRequest("listBytes", 0);
  app.decorateRequest("giveUp");

  function use(request: FastifyRequest, bytes: number): void {
    const by = bytes - request.usedBytes;
    request.usedBytes = bytes;
    if (by !== 0) budget.change([findOwner(request)], by);
  }

  function takeBody(request: FastifyRequest, reply: FastifyReply): void {
    const bytes = getAnnouncedBodyBytes(request.raw, request.routeOptions.bodyLimit);
    if (bytes <= smallBodyBytes) return;
    const left = limit * leftByBodies;
    if (!budget.canTake([findOwner(request)], bytes, left)) refuse(request, reply);
    use(request, bytes);
  }

  /** A promise only where the list has to wait. */
  function takeList(request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined {
    const owner = [findOwner(request)];
    const size = computeMaxListBytes(request);
    const left = size < maxPageBytes ? 0 : leftByLargest;
    const room: Room = {
      size,
      leaves: limit * left,
      // With the room and not before it: else lists that wait for their account's share keep all others waiting.
      when: () => listBytes + size <= maxListBytes * (1 - left),
      onTake: () => {
        listBytes += size;
        request.listBytes = size;
        request.usedBytes = size;
      },
    };
    if (!room.when() || !budget.canTake(owner, size, room.leaves))
      return waitForRoom(request, reply, owner, room);
    budget.change(owner, size);
    room.onTake();
    return undefined;
  }

  function takeResponse(request: FastifyRequest, reply: FastifyReply, payload: unknown): void {
    const hasBeenRead = request.listBytes > 0;
    listBytes -= request.listBytes;
    request.listBytes = 0;
    use(request, reply.raw.destroyed ? 0 : getResponseBytes(reply, payload));
    if (hasBeenRead) budget.change([findOwner(request)], 0); // its place is free
  }

  async function waitForRoom(
    request: FastifyRequest,
    reply: FastifyReply,
    owner: string[],
    room: Room,
  ): Promise<void> {
    inFlight.remove(request);
    const onWait = (giveUp: () => void) => (request.giveUp = giveUp);
    const hasRoom = await budget.acquire(owner, maxWaitMs, { ...room, onWait });
    await new Promise<void>(runAfterAccepting);
    if (reply.raw.destroyed) throw createLeftError("there was room");
    if (!hasRoom) refuse(request, reply);
    inFlight.add(request);
  }

  return {
    takeBody,
    takeList,
    takeResponse,
    /** The response has left, or its client has. */
    release: (request: FastifyRequest): void => {
      request.giveUp?.();
      if (request.listBytes === 0) use(request, 0);
    },
    /** Whether what is used is within the limit. */
    isWithinLimit: (): boolean => budget.canTake([], 0),
  };
}

/** The largest size of a list with this limit, which is checked later. */
function computeMaxListBytes({ query }: FastifyRequest): number {
  const limit = Number((query as { limit?: unknown }).limit ?? defaultPageSize);
  return Math.min((limit > 0 ? limit : 1) * maxPaymentBytes, maxPageBytes);
}

function getResponseBytes(reply: FastifyReply, payload: unknown): number {
  if (typeof payload === "string") return payload.length;
  return Number(reply.getHeader("content-length") ?? 0);
}

const unknownOwner = "unknown";

/** The account of a request, or `pages` for all pages together: their account is known only from the database. */
function findOwner({ principal, url }: FastifyRequest): string {
  const authenticated = principal as Principal | undefined;
  return authenticated?.scope.accountId ?? (isApiPath(url) ? unknownOwner : "pages");
}
