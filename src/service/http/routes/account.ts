import type { FastifyInstance } from "fastify";
import { routes } from "../../../contract/routes.ts";
import { requestSchemas } from "../../../contract/schemas.ts";
import type { Service } from "../../use-cases/service.ts";
import { sendJson } from "../answer-reply.ts";
import { readRequest } from "../validate.ts";

export function accountRoutes(app: FastifyInstance, service: Service): void {
  const { getAccount } = routes;

  app.get(getAccount.path, async (request, reply) => {
    readRequest(requestSchemas.getAccount, request);
    const account = await service.getAccount(request.principal.scope);
    return sendJson(reply, getAccount.status, JSON.stringify(account));
  });
}
