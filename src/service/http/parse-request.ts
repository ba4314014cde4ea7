import type { FastifyRequest } from "fastify";
import * as z from "zod";
import type { routes } from "../../contract/routes.ts";
import { type RequestSchemas, requestSchemas } from "../../contract/schemas.ts";
import { ServiceError } from "../domain/service-error.ts";
import type { Principal } from "../ports/ports.ts";
import { hideDigits, maskName, validate } from "../input/validate.ts";

export type RouteName = keyof typeof routes;

/** A request's account and actor, and its ids, query and body as the route's schemas parse them. */
export type ParsedRequest<Name extends RouteName> = Pick<Principal, "scope" | "actor"> & {
  id: (typeof routes)[Name]["path"] extends `${string}/:id${string}` ? string : undefined;
  delivery: (typeof routes)[Name]["path"] extends `${string}/:delivery` ? string : undefined;
  query: Output<(typeof requestSchemas)[Name], "query">;
  body: Output<(typeof requestSchemas)[Name], "body">;
};

type Output<R, Part extends "body" | "query"> = R extends {
  [key in Part]: infer S extends z.ZodType;
}
  ? z.output<S>
  : Record<string, never>;

export const noFields = z.strictObject({});

/**
 * Parses a request by the schemas of its route. Errors: parameter_missing, parameter_unknown,
 * parameter_invalid, naming the first field at fault in bracket form.
 */
export function parseRequest<Name extends RouteName>(
  name: Name,
  request: FastifyRequest,
): ParsedRequest<Name> {
  const schemas: RequestSchemas = requestSchemas[name];
  const { scope, actor } = request.principal;
  const { id, delivery } = request.params as { id?: string; delivery?: string };
  const query = validate(schemas.query ?? noFields, parseQuery(request.url));
  const body = schemas.body ? validate(schemas.body, request.body ?? {}) : {};
  return { scope, actor, id, delivery, query, body } as ParsedRequest<Name>;
}

/** A repeated parameter is refused: one of the two would be ignored. */
function parseQuery(url: string): Record<string, string> {
  const at = url.indexOf("?");
  if (at === -1) return {};
  const params = new URLSearchParams(url.slice(at + 1));
  const names = [...params.keys()];
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) {
    const param = maskName(hideDigits(repeated));
    throw new ServiceError(
      "parameter_invalid",
      `${param} must not be repeated. Send it once.`,
      param,
    );
  }
  return Object.fromEntries(params);
}
