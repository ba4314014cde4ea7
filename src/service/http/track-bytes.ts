import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { defaultPageSize } from "../../contract/field-values.ts";
import { routes } from "../../contract/routes.ts";
import { maxPageBytes, maxPaymentBytes } from "../database/list-range.ts";
import { ServiceError } from "../../contract/service-error.ts";
import type { ByteBudget } from "./byte-budget.ts";
import { type Guard, isApiPath } from "./request-guards.ts";
import { FairShares } from "../../runtime/fair-semaphore.ts";
import type { Principal } from "../accounts/accounts-service.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The bytes of the budget that its body uses, and later its response. */
    usedBytes: number;
    /** The bytes that are reserved until its response is made. */
    reservedBytes: number;
  }
}

/** A smaller body takes no more than its connection does. */
const smallBodyBytes = 4 * 1024;

/**
 * Counts the memory of requests: a large body by its announced length, a response until it has left. A list
 * counts with its largest possible size while it is read. It waits until there is room for that, and is not in
 * flight meanwhile. `refuse` throws, unless all requests are to be let in.
 */
export function trackBytes(
  app: FastifyInstance,
  budget: ByteBudget,
  inFlight: InFlight,
  refuse: Guard,
): void {
  app.decorateRequest("usedBytes", 0);
  app.decorateRequest("reservedBytes", 0);

  function use(request: FastifyRequest, bytes: number): void {
    const { usedBytes, reservedBytes } = request;
    request.usedBytes = bytes;
    request.reservedBytes = 0;
    if (reservedBytes > 0) budget.settle(reservedBytes, bytes, findOwner(request));
    else if (bytes !== usedBytes) budget.change(bytes - usedBytes, findOwner(request));
  }

  app.addHook("onRequest", (request, reply, next) => {
    reply.raw.once("close", () => {
      if (request.reservedBytes === 0) use(request, 0); // else it is still being read
    });
    next();
  });
  app.addHook("preParsing", (request, reply, payload, next) => {
    if (request.method !== "POST") return next(null, payload);
    const bytes = getAnnouncedBodyBytes(request.raw, request.routeOptions.bodyLimit);
    if (bytes > smallBodyBytes) {
      if (!budget.hasRoomForBody(bytes, findOwner(request))) refuse(request, reply);
      use(request, bytes);
    }
    return next(null, payload);
  });
  app.addHook("preHandler", async (request, reply) => {
    if (request.method === "POST") return;
    if (request.routeOptions.url === routes.listPayments.path) await waitForRoom(request, reply);
  });
  app.addHook("onSend", (request, reply, payload, next) => {
    use(request, reply.raw.destroyed ? 0 : getResponseBytes(reply, payload));
    next(null, payload);
  });

  async function waitForRoom(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    inFlight.remove(request);
    const bytes = computeMaxListBytes(request);
    const hasRoom = await budget.reserve(bytes, findOwner(request), reply.raw);
    if (hasRoom) request.reservedBytes = bytes;
    if (reply.raw.destroyed) {
      throw new ServiceError("malformed_request", "The client left before there was room.");
    }
    if (!hasRoom) refuse(request, reply);
    inFlight.add(request);
  }
}

/** How many bytes of a body may arrive, by the request's headers. */
export function getAnnouncedBodyBytes({ headers }: IncomingMessage, limit: number): number {
  const length = headers["content-length"];
  if (length === undefined) return headers["transfer-encoding"] === undefined ? 0 : limit;
  return Math.min(Number(length), limit) || 0;
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

declare module "fastify" {
  interface FastifyRequest {
    /** Refused because of overload, before any work was done for it. */
    isShed?: boolean;
    /** The owner whose share it uses while it is in flight. */
    inFlightOwner?: string | undefined;
  }
}

type InFlight = ReturnType<typeof trackInFlight>;

/**
 * Counts the requests in flight, `limit` at most. A request is in flight until its response is made, even if its
 * client has left. Accounts share the limit, and each leaves a quarter to others. A request whose body is still
 * arriving does not count: else a thousand slow clients without a key would block all others. `admit` is called
 * a second time when the body has arrived.
 */
export function trackInFlight(app: FastifyInstance, limit: number, admit: Guard) {
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
  app.addHook("preParsing", (request, _reply, payload, next) => {
    if (request.method === "POST" && !request.raw.complete) remove(request);
    next(null, payload);
  });
  app.addHook("preValidation", (request, reply, next) => {
    if (request.method === "POST" && request.inFlightOwner === undefined) admit(request, reply);
    next();
  });
  app.addHook("onSend", (request, _reply, payload, next) => {
    remove(request);
    next(null, payload);
  });
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

const unknownOwner = "unknown";

/** The account of a request, or `pages` for all pages together: their account is known only from the database. */
function findOwner({ principal, url }: FastifyRequest): string {
  const authenticated = principal as Principal | undefined;
  return authenticated?.scope.accountId ?? (isApiPath(url) ? unknownOwner : "pages");
}
