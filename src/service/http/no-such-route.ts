import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ServiceError } from "../domain/service-error.ts";
import { isOperationsPath } from "./routes/operations.ts";
import { parsePath } from "./target.ts";

type Endpoint = { method: string; path: string };

/** The endpoints of an app, those of its plugins too. To be called before any route is added. */
export function collectEndpoints(app: FastifyInstance): readonly Endpoint[] {
  const endpoints: Endpoint[] = [];
  app.addHook("onRoute", ({ method, url }) => {
    for (const each of [method].flat()) endpoints.push({ method: each, path: url });
  });
  return endpoints;
}

/** The error for a path that does not exist, or does not have the method: then `Allow` says which it has. */
export function toRouteError(
  request: FastifyRequest,
  reply: FastifyReply,
  endpoints: readonly Endpoint[],
): ServiceError {
  const path = parsePath(request.url);
  const found = endpoints.filter((endpoint) => {
    const pattern = endpoint.path.replaceAll(/:\w+/g, "[^/]*").replaceAll(".", "\\.");
    return new RegExp(`^${pattern}$`).test(path);
  });
  const methods = [...new Set(found.map(({ method }) => method))];
  if (methods.length > 0) {
    reply.header("allow", methods.join(", "));
    return new ServiceError(
      "method_not_allowed",
      `This path does not have that method. Use ${methods.join(" or ")}.`,
    );
  }
  const paths = new Set(endpoints.map((endpoint) => endpoint.path));
  return new ServiceError(
    "endpoint_not_found",
    paths.values().every(isOperationsPath)
      ? `There is no such path on this port. It has ${[...paths].join(", ")}.`
      : "There is no such path. See /openapi.json for the paths there are.",
  );
}
