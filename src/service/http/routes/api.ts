import type { FastifyInstance, FastifyReply, RouteHandlerMethod } from "fastify";
import { routes } from "../../../contract/routes.ts";
import type { Response, IdempotentRequest } from "../../idempotency/run-idempotently.ts";
import type { Listed } from "../../domain/list-range.ts";
import type { Service } from "../../use-cases/service.ts";
import { toIdempotentRequestOf, toJson, sendStored, sendJson, sendList } from "../answer-reply.ts";
import { readRequest, type ParsedRequest, type RouteName } from "../validate.ts";

/** The API: which use case answers each route of the contract's table. */
export function registerApiRoutes(app: FastifyInstance, service: Service): void {
  const { write, list, one } = answeredBy(app);

  write("createPayment", ({ scope, body }, once) => service.createPayment(scope, body, once));
  write("createHosted", ({ scope, body }, once) => service.createHostedPayment(scope, body, once));
  list("listPayments", ({ scope, query }) => service.listPayments(scope, query));
  one("getPayment", ({ scope, id }) => service.getPayment(scope, id));
  write("refundPayment", ({ scope, id, actor }, once) =>
    service.refundPayment(scope, id, once, actor),
  );

  one("getAccount", ({ scope }) => service.getAccount(scope));

  list("listEvents", ({ scope, query }) => service.listEvents(scope, query));
  one("getEvent", ({ scope, id }) => service.getEvent(scope, id));
  write("resendEvent", ({ scope, id, body, actor }, once) =>
    service.resendEvent(scope, { id, body }, once, actor),
  );

  write("createEndpoint", ({ scope, body, actor }, once) =>
    service.createEndpoint(scope, body, once, actor),
  );
  list("listEndpoints", ({ scope, query }) => service.listEndpoints(scope, query));
  one("getEndpoint", ({ scope, id }) => service.getEndpoint(scope, id));
  write("updateEndpoint", ({ scope, id, body, actor }, once) =>
    service.updateEndpoint(scope, { id, body }, once, actor),
  );
  write("rollEndpoint", ({ scope, id, body, actor }, once) =>
    service.rollEndpoint(scope, { id, body }, once, actor),
  );
  one("deleteEndpoint", ({ scope, id, actor }) => service.deleteEndpoint(scope, id, actor));
  list("listDeliveries", ({ scope, id, query }) => service.listDeliveries(scope, id, query));

  // What `payments listen` asks. Who no longer waits is given nothing, which somebody else could be given.
  one("startListener", ({ scope, id, body }, reply) =>
    service.startListener(scope, { id, body }, goneSignal(reply)),
  );
  list("takeDeliveries", async ({ scope, id, body }, reply) => ({
    items: await service.takeDeliveries(scope, { id, body }, goneSignal(reply)),
    hasMore: false,
  }));
  one("reportDelivery", ({ scope, id, body }) => service.reportDelivery(scope, { id, body }));
}

/** The three ways in which a route is answered. */
function answeredBy(app: FastifyInstance) {
  const on = (name: RouteName, handler: RouteHandlerMethod) => {
    const { method, path: url } = routes[name];
    app.route({ method, url, handler });
  };
  return {
    /** By a write, which is done once for each idempotency key. */
    write: <Name extends RouteName>(
      name: Name,
      work: (asked: ParsedRequest<Name>, once: IdempotentRequest | undefined) => Promise<Response>,
    ) =>
      on(name, async (request, reply) =>
        sendStored(reply, await work(readRequest(name, request), toIdempotentRequestOf(request))),
      ),
    /** By a page of a list. */
    list: <Name extends RouteName>(
      name: Name,
      work: (asked: ParsedRequest<Name>, reply: FastifyReply) => Promise<Listed<string | object>>,
    ) =>
      on(name, async (request, reply) => {
        const asked = readRequest(name, request);
        const { path } = routes[name];
        const url = asked.id === undefined ? path : path.replace(":id", asked.id);
        return sendList(reply, url, await work(asked, reply));
      }),
    /** By one object. */
    one: <Name extends RouteName>(
      name: Name,
      work: (asked: ParsedRequest<Name>, reply: FastifyReply) => Promise<string | object>,
    ) =>
      on(name, async (request, reply) => {
        const found = await work(readRequest(name, request), reply);
        return sendJson(reply, routes[name].status, toJson(found));
      }),
  };
}

/** Aborted when nobody waits for the answer any more. */
function goneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once("close", () => gone.abort());
  return gone.signal;
}
