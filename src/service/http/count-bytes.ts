import type { IncomingMessage } from "node:http";
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  preHandlerAsyncHookHandler,
} from "fastify";
import { defaultPageSize, routes } from "../../contract/routes.ts";
import { maxPageBytes, maxPaymentBytes } from "../domain/list-range.ts";
import { ServiceError } from "../domain/service-error.ts";
import type { PromptGuard } from "./admit.ts";
import type { ByteBudget } from "./byte-room.ts";
import { ownerOf, type trackInFlight } from "./count-flights.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** What its body takes of the room for bytes, and later its answer. */
    heldBytes: number;
    /** What room is kept for until its answer is made. */
    comingBytes: number;
  }
}

const smallBodyBytes = 4 * 1024;

/**
 * Counts what requests take of the memory by its bytes: a large body as long as it is said to be, an
 * answer until it has left. A list counts with the most that it can come to while it is read, and waits until
 * there is room for that; meanwhile it is not worked on. `refuse` throws.
 */
export function countBytes(
  app: FastifyInstance,
  room: ByteBudget,
  flights: ReturnType<typeof trackInFlight>,
  refuse: PromptGuard,
): void {
  app.decorateRequest("heldBytes", 0);
  app.decorateRequest("comingBytes", 0);

  function hold(request: FastifyRequest, bytes: number): void {
    const { heldBytes, comingBytes } = request;
    request.heldBytes = bytes;
    request.comingBytes = 0;
    if (comingBytes > 0) room.came(comingBytes, bytes, ownerOf(request));
    else if (bytes !== heldBytes) room.change(bytes - heldBytes, ownerOf(request));
  }

  app.addHook("onRequest", (request, reply, next) => {
    reply.raw.once("close", () => {
      if (request.comingBytes === 0) hold(request, 0); // else it is being read all the same
    });
    next();
  });
  app.addHook("onRoute", (route) => {
    if (route.method === "POST") {
      const limit = route.bodyLimit ?? app.initialConfig.bodyLimit ?? 0;
      const admitBody: onRequestHookHandler = (request, reply, next) => {
        const bytes = bodyBytes(request.raw, limit);
        // Fewer are no more than a connection itself.
        if (bytes > smallBodyBytes) {
          if (!room.hasRoomForBody(bytes, ownerOf(request))) refuse(request, reply);
          hold(request, bytes);
        }
        next();
      };
      route.onRequest = [route.onRequest ?? [], admitBody].flat();
    } else if (route.url === routes.listPayments.path) {
      const admitPage: preHandlerAsyncHookHandler = async (request, reply) => {
        flights.leave(request);
        const bytes = pageBytes(request);
        const hasRoom = await room.enter(bytes, ownerOf(request), reply.raw);
        if (hasRoom) request.comingBytes = bytes;
        if (reply.raw.destroyed) throw clientLeft();
        if (!hasRoom) refuse(request, reply);
        flights.enter(request);
      };
      route.preHandler = [route.preHandler ?? [], admitPage].flat();
    }
  });
  app.addHook("onSend", (request, reply, payload, next) => {
    hold(request, reply.raw.destroyed ? 0 : answerBytes(reply, payload));
    next(null, payload);
  });
}

/** How much of a body may come, as its head says. */
export function bodyBytes({ headers }: IncomingMessage, limit: number): number {
  const length = headers["content-length"];
  if (length === undefined) return headers["transfer-encoding"] === undefined ? 0 : limit;
  return Math.min(Number(length), limit) || 0;
}

function clientLeft(): ServiceError {
  return new ServiceError("malformed_request", "The client left before there was room.");
}

/** The most that a page can come to; what it was asked for is checked later. */
function pageBytes({ query }: FastifyRequest): number {
  const limit = Number((query as { limit?: unknown }).limit ?? defaultPageSize);
  return Math.min((limit > 0 ? limit : 1) * maxPaymentBytes, maxPageBytes);
}

function answerBytes(reply: FastifyReply, payload: unknown): number {
  if (typeof payload === "string") return payload.length;
  return Number(reply.getHeader("content-length") ?? 0);
}
