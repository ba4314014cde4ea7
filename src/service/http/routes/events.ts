import type { FastifyInstance, FastifyRequest } from "fastify";
import { routes } from "../../../contract/routes.ts";
import { requestSchemas } from "../../../contract/schemas.ts";
import type { Service } from "../../use-cases/service.ts";
import { idempotentRequest, sendAnswer, sendJson, sendList } from "../answer-reply.ts";
import { readRequest } from "../validate.ts";

type WithId = { Params: { id: string } };

/** The events of payments: each endpoint reads its request, calls its use case, and sends the answer. */
export function eventRoutes(app: FastifyInstance, service: Service): void {
  const { listEvents, getEvent, resendEvent } = routes;

  app.get(listEvents.path, async (request, reply) => {
    const { query } = readRequest(requestSchemas.listEvents, request);
    const listed = await service.listEvents(request.principal.scope, query);
    return sendList(reply, listEvents.path, listed);
  });

  app.get(getEvent.path, async (request: FastifyRequest<WithId>, reply) => {
    readRequest(requestSchemas.getEvent, request);
    const event = await service.getEvent(request.principal.scope, request.params.id);
    return sendJson(reply, getEvent.status, event);
  });

  app.post(resendEvent.path, async (request: FastifyRequest<WithId>, reply) => {
    const { body } = readRequest(requestSchemas.resendEvent, request);
    const { scope, actor } = request.principal;
    const asked = { id: request.params.id, body };
    const once = idempotentRequest(request);
    return sendAnswer(reply, await service.resendEvent(scope, asked, once, actor));
  });
}
