import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from "fastify";
import { atBank, progressHeader } from "../../contract/headers.ts";
import { routes } from "../../contract/routes.ts";
import type { Response, IdempotentRequest } from "../idempotency/run-idempotently.ts";
import type { Listed } from "../database/list-range.ts";
import type { Service } from "../use-cases/service.ts";
import {
  type ParsedRequest,
  type RouteName,
  parseRequest,
  sendJson,
  sendList,
  sendStored,
  toIdempotentRequest,
  toJson,
} from "./answer-route.ts";
import { readPaymentId } from "./request-log.ts";
import { authenticateAgain } from "./request-guards.ts";

/** The API: the use case of each route of the contract. */
export function registerApiRoutes(app: FastifyInstance, service: Service): void {
  const { write, list, one } = createRouteKinds(app, service);

  write("createPayment", ({ scope, body }, idempotency) =>
    service.createPayment(scope, body, idempotency),
  );
  write("createHosted", ({ scope, body }, idempotency) =>
    service.createHostedPayment(scope, body, idempotency),
  );
  list("listPayments", ({ scope, query }) => service.listPayments(scope, query));
  one("getPayment", async ({ scope, id }, reply) => {
    const payment = await service.getPayment(scope, id);
    const sinceMs = await service.findChallengeStart(scope, payment);
    if (sinceMs !== null) reply.header(progressHeader, atBank);
    return payment;
  });
  write("refundPayment", ({ scope, id, actor }, idempotency) =>
    service.refundPayment(scope, id, idempotency, actor),
  );

  write("cancelPayment", ({ scope, id, actor }, idempotency) =>
    service.cancelPayment(scope, id, idempotency, actor),
  );

  one("getAccount", ({ scope }) => service.getAccount(scope));
  one("reportPayments", ({ scope, query }) => service.getReport(scope, query));

  list("listEvents", ({ scope, query }) => service.listEvents(scope, query));
  one("getEvent", ({ scope, id }) => service.getEvent(scope, id));
  write("resendEvent", ({ scope, id, body, actor }, idempotency) =>
    service.resendEvent(scope, { id, body }, idempotency, actor),
  );

  write("createEndpoint", ({ scope, body, actor }, idempotency) =>
    service.createEndpoint(scope, body, idempotency, actor),
  );
  list("listEndpoints", ({ scope, query }) => service.listEndpoints(scope, query));
  one("getEndpoint", ({ scope, id }) => service.getEndpoint(scope, id));
  write("updateEndpoint", ({ scope, id, body, actor }, idempotency) =>
    service.updateEndpoint(scope, { id, body }, idempotency, actor),
  );
  write("rollEndpoint", ({ scope, id, body, actor }, idempotency) =>
    service.rollEndpoint(scope, { id, body }, idempotency, actor),
  );
  one("deleteEndpoint", ({ scope, id, actor }) => service.deleteEndpoint(scope, id, actor));
  list("listDeliveries", ({ scope, id, query }) => service.listDeliveries(scope, id, query));
  one("getDelivery", ({ scope, id, delivery }) => service.getDelivery(scope, { id, delivery }));
  write("recoverEndpoint", ({ scope, id, body, actor }, idempotency) =>
    service.recoverEndpoint(scope, { id, body }, idempotency, actor),
  );
  write("testEndpoint", ({ scope, id, actor }, idempotency) =>
    service.testEndpoint(scope, id, idempotency, actor),
  );

  list("listRequests", ({ scope, query }) => service.listRequests(scope, query));
  one("getRequest", ({ scope, id }) => service.getRequest(scope, id));

  // Of `payments listen`. A listener that has disconnected leases no delivery, so that another one can.
  one("startListener", ({ scope, id, body }, reply) =>
    service.startListener(scope, { id, body }, createGoneSignal(reply)),
  );
  list("takeDeliveries", async ({ scope, id, body }, reply) => {
    const { authorization } = reply.request.headers;
    const items = await service.takeDeliveries(
      scope,
      { id, body },
      {
        gone: createGoneSignal(reply),
        checkKey: async () => service.authenticate(authorization),
      },
    );
    reply.request.wroteNothing = items.length === 0;
    return { items, hasMore: false };
  });
  one("reportDelivery", ({ scope, id, body }) => service.reportDelivery(scope, { id, body }));
}

/** A route answers with a write, a list or one object. */
function createRouteKinds(app: FastifyInstance, service: Service) {
  const preHandler = async (request: FastifyRequest) => authenticateAgain(service, request);
  const on = (name: RouteName, handler: RouteHandlerMethod) => {
    const { method, path: url } = routes[name];
    app.route({ method, url, handler, ...(method === "POST" && { preHandler }) });
  };
  return {
    /** Runs once for each idempotency key. */
    write: <Name extends RouteName>(
      name: Name,
      work: (
        request: ParsedRequest<Name>,
        idempotency: IdempotentRequest | undefined,
      ) => Promise<Response>,
    ) =>
      on(name, async (request, reply) => {
        const response = await work(parseRequest(name, request), toIdempotentRequest(request));
        if (routes[name].response === "payment") request.paymentId = readPaymentId(response);
        return sendStored(reply, response);
      }),
    list: <Name extends RouteName>(
      name: Name,
      work: (request: ParsedRequest<Name>, reply: FastifyReply) => Promise<Listed<string | object>>,
    ) =>
      on(name, async (request, reply) => {
        const parsed = parseRequest(name, request);
        const { path } = routes[name];
        const url = parsed.id === undefined ? path : path.replace(":id", parsed.id);
        return sendList(reply, url, await work(parsed, reply));
      }),
    one: <Name extends RouteName>(
      name: Name,
      work: (request: ParsedRequest<Name>, reply: FastifyReply) => Promise<string | object>,
    ) =>
      on(name, async (request, reply) => {
        const found = await work(parseRequest(name, request), reply);
        return sendJson(reply, routes[name].status, toJson(found));
      }),
  };
}

/** Aborted when the client has gone. */
function createGoneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once("close", () => gone.abort());
  return gone.signal;
}
