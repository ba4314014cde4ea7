import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { routes } from "../../../contract/routes.ts";
import { requestSchemas } from "../../../contract/schemas.ts";
import type { Service } from "../../use-cases/service.ts";
import { idempotentRequest, sendAnswer, sendJson, sendList } from "../answer-reply.ts";
import { readRequest } from "../validate.ts";

type WithId = FastifyRequest<{ Params: { id: string } }>;

/** Webhook endpoints and their deliveries: each reads its request, calls its use case, and sends the answer. */
export function endpointRoutes(app: FastifyInstance, service: Service): void {
  app.post(routes.createEndpoint.path, async (request, reply) => {
    const { body } = readRequest(requestSchemas.createEndpoint, request);
    const { scope, actor } = request.principal;
    const once = idempotentRequest(request);
    return sendAnswer(reply, await service.createEndpoint(scope, body, once, actor));
  });

  app.get(routes.listEndpoints.path, async (request, reply) => {
    const { query } = readRequest(requestSchemas.listEndpoints, request);
    const { items, hasMore } = await service.listEndpoints(request.principal.scope, query);
    return sendList(reply, routes.listEndpoints.path, { items: items.map(text), hasMore });
  });

  app.get(routes.getEndpoint.path, async (request: WithId, reply) => {
    readRequest(requestSchemas.getEndpoint, request);
    const endpoint = await service.getEndpoint(request.principal.scope, request.params.id);
    return sendJson(reply, routes.getEndpoint.status, text(endpoint));
  });

  app.post(routes.updateEndpoint.path, async (request: WithId, reply) => {
    const { body } = readRequest(requestSchemas.updateEndpoint, request);
    const asked = { id: request.params.id, body };
    const { scope, actor } = request.principal;
    const once = idempotentRequest(request);
    return sendAnswer(reply, await service.updateEndpoint(scope, asked, once, actor));
  });

  app.post(routes.rollEndpoint.path, async (request: WithId, reply) => {
    const { body } = readRequest(requestSchemas.rollEndpoint, request);
    const asked = { id: request.params.id, body };
    const { scope, actor } = request.principal;
    const once = idempotentRequest(request);
    return sendAnswer(reply, await service.rollEndpoint(scope, asked, once, actor));
  });

  app.delete(routes.deleteEndpoint.path, async (request: WithId, reply) => {
    readRequest(requestSchemas.deleteEndpoint, request);
    const { scope, actor } = request.principal;
    const deleted = await service.deleteEndpoint(scope, request.params.id, actor);
    return sendJson(reply, routes.deleteEndpoint.status, text(deleted));
  });

  app.get(routes.listDeliveries.path, async (request: WithId, reply) => {
    const { query } = readRequest(requestSchemas.listDeliveries, request);
    const { scope } = request.principal;
    const { id } = request.params;
    const { items, hasMore } = await service.listDeliveries(scope, id, query);
    const url = routes.listDeliveries.path.replace(":id", id);
    return sendList(reply, url, { items: items.map(text), hasMore });
  });

  listenerRoutes(app, service);
}

/** What `payments listen` asks. */
function listenerRoutes(app: FastifyInstance, service: Service): void {
  app.post(routes.startListener.path, async (request: WithId, reply) => {
    const { body } = readRequest(requestSchemas.startListener, request);
    const asked = { id: request.params.id, body };
    const { scope } = request.principal;
    const listener = await service.startListener(scope, asked, goneSignal(reply));
    return sendJson(reply, routes.startListener.status, text(listener));
  });

  app.post(routes.takeDeliveries.path, async (request: WithId, reply) => {
    const { body } = readRequest(requestSchemas.takeDeliveries, request);
    const { id } = request.params;
    const { scope } = request.principal;
    // Who no longer waits is given nothing, which somebody else could be given.
    const taken = await service.takeDeliveries(scope, { id, body }, goneSignal(reply));
    const url = routes.takeDeliveries.path.replace(":id", id);
    return sendList(reply, url, { items: taken, hasMore: false });
  });

  app.post(routes.reportDelivery.path, async (request: WithId, reply) => {
    const { body } = readRequest(requestSchemas.reportDelivery, request);
    const asked = { id: request.params.id, body };
    const delivery = await service.reportDelivery(request.principal.scope, asked);
    return sendJson(reply, routes.reportDelivery.status, text(delivery));
  });
}

/** Aborted when nobody waits for the answer any more. */
function goneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once("close", () => gone.abort());
  return gone.signal;
}

const text = (value: object) => JSON.stringify(value);
