import type { FastifyInstance, FastifyRequest } from "fastify";
import { FairShares } from "../../runtime/fair-semaphore.ts";
import type { Principal } from "../ports/ports.ts";
import { isApiPath, type Guard } from "./request-guards.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Refused because of overload, before any work was done for it. */
    isShed?: boolean;
    /** The owner whose share it uses while it is in flight. */
    inFlightOwner?: string | undefined;
  }
}

export type InFlight = ReturnType<typeof trackInFlight>;

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
export function findOwner({ principal, url }: FastifyRequest): string {
  const authenticated = principal as Principal | undefined;
  return authenticated?.scope.accountId ?? (isApiPath(url) ? unknownOwner : "pages");
}
