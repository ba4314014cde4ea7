import type { FastifyInstance, FastifyRequest } from "fastify";
import { routes } from "../../../contract/routes.ts";
import { requestSchemas } from "../../../contract/schemas.ts";
import type { Service } from "../../use-cases/service.ts";
import { idempotentRequest, sendAnswer, sendJson, sendList } from "../answer-reply.ts";
import { readRequest } from "../validate.ts";

type WithId = { Params: { id: string } };

/** The payment endpoints: each reads its request, calls its use case, and sends the answer. */
export function paymentRoutes(app: FastifyInstance, service: Service): void {
  const { createPayment, createHosted, listPayments, getPayment, refundPayment } = routes;

  app.post(createPayment.path, async (request, reply) => {
    const { body } = readRequest(requestSchemas.createPayment, request);
    const { scope } = request.principal;
    return sendAnswer(reply, await service.createPayment(scope, body, idempotentRequest(request)));
  });

  app.post(createHosted.path, async (request, reply) => {
    const { body } = readRequest(requestSchemas.createHosted, request);
    const { scope } = request.principal;
    const answer = await service.createHostedPayment(scope, body, idempotentRequest(request));
    return sendAnswer(reply, answer);
  });

  app.get(listPayments.path, async (request, reply) => {
    const { query } = readRequest(requestSchemas.listPayments, request);
    const listed = await service.listPayments(request.principal.scope, query);
    return sendList(reply, listPayments.path, listed);
  });

  app.get(getPayment.path, async (request: FastifyRequest<WithId>, reply) => {
    readRequest(requestSchemas.getPayment, request);
    const payment = await service.getPayment(request.principal.scope, request.params.id);
    return sendJson(reply, getPayment.status, payment);
  });

  app.post(refundPayment.path, async (request: FastifyRequest<WithId>, reply) => {
    readRequest(requestSchemas.refundPayment, request);
    const { scope, actor } = request.principal;
    const { id } = request.params;
    const once = idempotentRequest(request);
    return sendAnswer(reply, await service.refundPayment(scope, id, once, actor));
  });
}
