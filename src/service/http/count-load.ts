import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { defaultPageSize } from "../../contract/field-values.ts";
import { createFairSemaphore, FairShares } from "../../runtime/fair-semaphore.ts";
import { maxPageBytes, maxPaymentBytes } from "../database/listing.ts";
import { ServiceError } from "../../contract/error.ts";
import type { Principal } from "../accounts/accounts-service.ts";
import { getAnnouncedBodyBytes, prioritizeAccepting } from "./http-server.ts";
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

type InFlight = ReturnType<typeof trackInFlight>;

/**
 * Counts the requests in flight, `limit` at most. A request is in flight until its response is made, even if its
 * client has left. Accounts share the limit, and each leaves a quarter to others.
 */
export function trackInFlight(app: FastifyInstance, limit: number) {
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
export function trackBytes(
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
    if (reply.raw.destroyed) {
      throw new ServiceError("malformed_request", "The client left before there was room.");
    }
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
