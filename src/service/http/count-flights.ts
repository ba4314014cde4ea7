import type {
  FastifyInstance,
  FastifyRequest,
  preParsingHookHandler,
  preValidationHookHandler,
} from "fastify";
import type { PromptGuard } from "./admit.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Refused because of overload, before anything was done for it. */
    isShed?: boolean;
    isInFlight?: boolean;
  }
}

/**
 * Counts the requests that are being worked on: from their acceptance until their answer is made,
 * also when their client has left. While a body is still on its way nothing is done for it: otherwise
 * a thousand clients that send theirs slowly, with no key at all, would keep everybody else out.
 * `admit` is asked again when it has come.
 */
export function countFlights(app: FastifyInstance, admit: PromptGuard) {
  let count = 0;
  const enter = (request: FastifyRequest) => {
    count++;
    request.isInFlight = true;
  };
  const leave = (request: FastifyRequest) => {
    if (request.isInFlight) count--;
    request.isInFlight = false;
  };
  const leaveUntilRead: preParsingHookHandler = (request, _reply, payload, next) => {
    if (!request.raw.complete) leave(request);
    next(null, payload);
  };
  const enterAgain: preValidationHookHandler = (request, reply, next) => {
    if (!request.isInFlight) admit(request, reply);
    next();
  };
  app.decorateRequest("isShed", false);
  app.decorateRequest("isInFlight", false);
  app.addHook("onRoute", (route) => {
    if (route.method !== "POST") return; // the others have no body
    route.preParsing = [route.preParsing ?? [], leaveUntilRead].flat();
    route.preValidation = [route.preValidation ?? [], enterAgain].flat();
  });
  app.addHook("onSend", (request, _reply, payload, next) => {
    leave(request);
    next(null, payload);
  });
  return { count: () => count, enter, leave };
}
