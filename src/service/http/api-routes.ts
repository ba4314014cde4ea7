import { reportDelivery } from "../webhooks/record-attempt.ts";
import { authenticate } from "../accounts/authenticate.ts";
import { startListener, takeDeliveries } from "../webhooks/listen.ts";
import { listRequests, getRequest } from "../requests/list-requests.ts";
import { testEndpoint } from "../webhooks/test-endpoint.ts";
import { recoverEndpoint } from "../webhooks/recover-endpoint.ts";
import { listDeliveries, getDelivery } from "../webhooks/deliveries.ts";
import {
  createEndpoint,
  deleteEndpoint,
  getEndpoint,
  listEndpoints,
  rollEndpoint,
  updateEndpoint,
} from "../webhooks/manage-endpoints.ts";
import { listEvents, getEvent, resendEvent } from "../webhooks/event-log.ts";
import { getReport } from "../reports/get-report.ts";
import { getAccount } from "../accounts/manage-accounts.ts";
import { cancelPayment } from "../checkout/cancel-payment.ts";
import { refundPayment } from "../payments/refund-payment.ts";
import { getPayment, findChallengeStart } from "../payments/get-payment.ts";
import { listPayments } from "../payments/list-payments.ts";
import { createHostedPayment } from "../checkout/create-hosted-payment.ts";
import { createPayment } from "../payments/create-payment.ts";
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from "fastify";
import { atBank, progressHeader } from "../../contract/headers.ts";
import { payment } from "../../contract/payment.ts";
import type { Route } from "../../contract/route.ts";
import { routes } from "../../contract/routes.ts";
import type { Response, IdempotentRequest } from "../idempotency/run-idempotently.ts";
import type { Listed } from "../database/list-range.ts";
import type { Service } from "../service.ts";
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
    createPayment(service, scope, body, idempotency),
  );
  write("createHosted", ({ scope, body }, idempotency) =>
    createHostedPayment(service, scope, body, idempotency),
  );
  list("listPayments", ({ scope, query }) => listPayments(service, scope, query));
  one("getPayment", async ({ scope, id }, reply) => {
    const payment = await getPayment(service, scope, id);
    const sinceMs = await findChallengeStart(service, scope, payment);
    if (sinceMs !== null) reply.header(progressHeader, atBank);
    return payment;
  });
  write("refundPayment", ({ scope, id, actor }, idempotency) =>
    refundPayment(service, scope, id, idempotency, actor),
  );

  write("cancelPayment", ({ scope, id, actor }, idempotency) =>
    cancelPayment(service, scope, id, idempotency, actor),
  );

  one("getAccount", ({ scope }) => getAccount(service, scope));
  one("reportPayments", ({ scope, query }) => getReport(service, scope, query));

  list("listEvents", ({ scope, query }) => listEvents(service, scope, query));
  one("getEvent", ({ scope, id }) => getEvent(service, scope, id));
  write("resendEvent", ({ scope, id, body, actor }, idempotency) =>
    resendEvent(service, scope, { id, body }, idempotency, actor),
  );

  write("createEndpoint", ({ scope, body, actor }, idempotency) =>
    createEndpoint(service, scope, body, idempotency, actor),
  );
  list("listEndpoints", ({ scope, query }) => listEndpoints(service, scope, query));
  one("getEndpoint", ({ scope, id }) => getEndpoint(service, scope, id));
  write("updateEndpoint", ({ scope, id, body, actor }, idempotency) =>
    updateEndpoint(service, scope, { id, body }, idempotency, actor),
  );
  write("rollEndpoint", ({ scope, id, body, actor }, idempotency) =>
    rollEndpoint(service, scope, { id, body }, idempotency, actor),
  );
  one("deleteEndpoint", ({ scope, id, actor }) => deleteEndpoint(service, scope, id, actor));
  list("listDeliveries", ({ scope, id, query }) => listDeliveries(service, scope, id, query));
  one("getDelivery", ({ scope, id, delivery }) => getDelivery(service, scope, { id, delivery }));
  write("recoverEndpoint", ({ scope, id, body, actor }, idempotency) =>
    recoverEndpoint(service, scope, { id, body }, idempotency, actor),
  );
  write("testEndpoint", ({ scope, id, actor }, idempotency) =>
    testEndpoint(service, scope, id, idempotency, actor),
  );

  list("listRequests", ({ scope, query }) => listRequests(service, scope, query));
  one("getRequest", ({ scope, id }) => getRequest(service, scope, id));

  // Of `payments listen`. A listener that has disconnected leases no delivery, so that another one can.
  one("startListener", ({ scope, id, body }, reply) =>
    startListener(service, scope, { id, body }, createGoneSignal(reply)),
  );
  list("takeDeliveries", async ({ scope, id, body }, reply) => {
    const { authorization } = reply.request.headers;
    const items = await takeDeliveries(
      service,
      scope,
      { id, body },
      {
        gone: createGoneSignal(reply),
        checkKey: async () => authenticate(service, authorization),
      },
    );
    reply.request.wroteNothing = items.length === 0;
    return { items, hasMore: false };
  });
  one("reportDelivery", ({ scope, id, body }) => reportDelivery(service, scope, { id, body }));
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
        if (answersPayment(routes[name])) request.paymentId = readPaymentId(response);
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

function answersPayment({ response }: Route): boolean {
  return response === payment;
}

/** Aborted when the client has gone. */
function createGoneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once("close", () => gone.abort());
  return gone.signal;
}
