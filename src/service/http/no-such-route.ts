import type { FastifyReply, FastifyRequest } from "fastify";
import { routes } from "../../contract/routes.ts";
import { ServiceError } from "../domain/service-error.ts";
import { documentationPaths } from "./routes/documentation.ts";
import { operationsPaths } from "./routes/operations.ts";
import { parsePath } from "./target.ts";

export type Endpoint = { method: string; path: string };

/** The API's endpoints, and those of its documentation. */
export const endpoints: readonly Endpoint[] = [
  ...Object.values(routes),
  ...Object.values(documentationPaths).map(read),
];
/** Those of whoever watches over a service that runs on its own; the one inside a command has nobody. */
export const operationsEndpoints: readonly Endpoint[] = Object.values(operationsPaths).map(read);
const isOperations = (endpoint: Endpoint) => operationsEndpoints.includes(endpoint);

/** A path that does not exist, or one that does not have the method: then `Allow` says which it has. */
export function toRouteError(
  request: FastifyRequest,
  reply: FastifyReply,
  among: readonly Endpoint[],
): ServiceError {
  const allowed = methodsOf(parsePath(request.url), among);
  if (allowed.length > 0) reply.header("allow", allowed.join(", "));
  return allowed.length > 0
    ? new ServiceError(
        "method_not_allowed",
        `This path does not have that method. Use ${allowed.join(" or ")}.`,
      )
    : new ServiceError(
        "endpoint_not_found",
        among.every(isOperations)
          ? `There is no such path on this port. It has ${Object.values(operationsPaths).join(", ")}.`
          : "There is no such path. See /openapi.json for the paths there are.",
      );
}

/** The methods that a path has, none where there is no such path: HEAD wherever GET is. */
function methodsOf(path: string, among: readonly Endpoint[]): string[] {
  const found = among.filter((endpoint) => {
    const pattern = endpoint.path.replaceAll(/:\w+/g, "[^/]*").replaceAll(".", "\\.");
    return new RegExp(`^${pattern}$`).test(path);
  });
  const methods = found.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  return [...new Set(methods)];
}

function read(path: string): Endpoint {
  return { method: "GET", path };
}
