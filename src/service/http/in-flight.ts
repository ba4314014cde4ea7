import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { defaultPageSize } from "../../contract/list.ts";
import { routes } from "../../contract/routes.ts";
import type { Guard } from "./authenticate.ts";
import { largestBytes, type ByteRoom } from "./byte-room.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Refused because of overload, before anything was done for it. */
    isShed?: boolean;
    isInFlight?: boolean;
    /** What its body takes of the room for bytes, and later its answer. */
    heldBytes: number;
    /** What room is kept for until its answer is made. */
    comingBytes: number;
  }
}

/** What a payment comes to at most. */
const largestPaymentBytes = 68 * 1024;

/**
 * Counts the requests that are being worked on: from their acceptance until their answer is made,
 * also when their client has left. While a body is still on its way nothing is done for it: otherwise
 * a thousand clients that send theirs slowly, with no key at all, would keep everybody else out.
 * `admit` is asked again when it has come.
 */
export function countFlights(app: FastifyInstance, admit: Guard) {
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
    route.preValidation = async (request, reply) => {
      if (!request.isInFlight) await admit(request, reply);
    };
  });
  app.addHook("onSend", (request, _reply, payload, next) => {
    leave(request);
    next(null, payload);
  });
  return { count: () => count, enter, leave };
}

/**
 * Counts what requests take of the memory by its bytes: a body as long as it is said to be, an answer
 * until it has left. A list counts with the most that it can come to while it is read, and waits until
 * there is room for that; meanwhile it is not worked on. `refuse` throws.
 */
export function countBytes(
  app: FastifyInstance,
  room: ByteRoom,
  flights: ReturnType<typeof countFlights>,
  refuse: Guard,
): void {
  app.decorateRequest("heldBytes", 0);
  app.decorateRequest("comingBytes", 0);

  function hold(request: FastifyRequest, bytes: number): void {
    const { heldBytes, comingBytes } = request;
    Object.assign(request, { heldBytes: bytes, comingBytes: 0 });
    if (comingBytes > 0) room.came(comingBytes, bytes);
    else if (bytes !== heldBytes) room.change(bytes - heldBytes);
  }

  app.addHook("onRequest", async (request, reply) => {
    reply.raw.once("close", () => {
      if (request.comingBytes === 0) hold(request, 0); // else it is being read all the same
    });
  });
  app.addHook("onRoute", (route) => {
    if (route.method === "POST") {
      const limit = route.bodyLimit ?? app.initialConfig.bodyLimit ?? 0;
      route.onRequest = async (request, reply) => {
        const bytes = bodyBytes(request, limit);
        if (!room.hasRoomFor(bytes)) await refuse(request, reply);
        hold(request, bytes);
      };
    } else if (route.method === "GET" && route.url === routes.listPayments.path) {
      route.preHandler = async (request, reply) => {
        flights.leave(request);
        const bytes = pageBytes(request);
        if (!(await room.enter(bytes, reply.raw))) await refuse(request, reply);
        flights.enter(request);
        request.comingBytes = bytes;
      };
    }
  });
  app.addHook("onSend", (request, reply, payload, next) => {
    hold(request, reply.raw.destroyed ? 0 : answerBytes(reply, payload));
    next(null, payload);
  });
}

function bodyBytes({ headers }: FastifyRequest, limit: number): number {
  const length = headers["content-length"];
  if (length === undefined) return headers["transfer-encoding"] === undefined ? 0 : limit;
  return Math.min(Number(length), limit) || 0;
}

/** The most that a page can come to; what it was asked for is checked later. */
function pageBytes({ query }: FastifyRequest): number {
  const limit = Number((query as { limit?: unknown }).limit ?? defaultPageSize);
  return Math.min((limit > 0 ? limit : 1) * largestPaymentBytes, largestBytes);
}

function answerBytes(reply: FastifyReply, payload: unknown): number {
  if (typeof payload === "string") return payload.length;
  return Number(reply.getHeader("content-length") ?? 0);
}
