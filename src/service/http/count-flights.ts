import type {
  FastifyInstance,
  FastifyRequest,
  preParsingHookHandler,
  preValidationHookHandler,
} from "fastify";
import type { Principal } from "../ports/ports.ts";
import { FairShares } from "../../runtime/fair-semaphore.ts";
import { isApiPath, type PromptGuard } from "./admit.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Refused because of overload, before anything was done for it. */
    isShed?: boolean;
    /** As whose it is being worked on; undefined where it is not. */
    flightOf?: string | undefined;
  }
}

/**
 * Counts the requests that are being worked on, `limit` at the most: from their acceptance until their answer is
 * made, also when their client has left. Accounts share that, and leave a quarter to others. While a body is still on its way nothing is done for it: otherwise
 * a thousand clients that send theirs slowly, with no key at all, would keep everybody else out.
 * `admit` is asked again when it has come.
 */
export function trackInFlight(app: FastifyInstance, limit: number, admit: PromptGuard) {
  const shares = new FairShares(limit);
  const enter = (request: FastifyRequest) => {
    leave(request);
    request.flightOf = ownerOf(request);
    shares.change([request.flightOf], 1);
  };
  const leave = (request: FastifyRequest) => {
    if (request.flightOf !== undefined) shares.change([request.flightOf], -1);
    request.flightOf = undefined;
  };
  const leaveUntilRead: preParsingHookHandler = (request, _reply, payload, next) => {
    if (!request.raw.complete) leave(request);
    next(null, payload);
  };
  const enterAgain: preValidationHookHandler = (request, reply, next) => {
    if (request.flightOf === undefined) admit(request, reply);
    next();
  };
  app.decorateRequest("isShed", false);
  app.decorateRequest("flightOf");
  app.addHook("onRoute", (route) => {
    if (route.method !== "POST") return; // the others have no body
    route.preParsing = [route.preParsing ?? [], leaveUntilRead].flat();
    route.preValidation = [route.preValidation ?? [], enterAgain].flat();
  });
  app.addHook("onSend", (request, _reply, payload, next) => {
    leave(request);
    next(null, payload);
  });
  return {
    count: () => shares.count(),
    /** Whether one more may be worked on. Whose it is, is not known before its key was looked up. */
    hasRoomFor: (request: FastifyRequest): boolean => {
      const owner = ownerOf(request);
      return owner === notKnown ? shares.count() < limit : shares.canTake([owner]);
    },
    enter,
    leave,
  };
}

const notKnown = "not known";

/** Whose a request is: an account's, by its key, or of all that ask for pages. */
export function ownerOf({ principal, url }: FastifyRequest): string {
  // Set once its key has been looked up.
  const known = principal as Principal | undefined;
  return known?.scope.accountId ?? (isApiPath(url) ? notKnown : "pages");
}
