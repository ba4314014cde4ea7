import type { FastifyRequest } from "fastify";
import * as z from "zod";
import { mask } from "../../contract/mask.ts";
import type { routes } from "../../contract/routes.ts";
import { requestSchemas, type RequestSchemas } from "../../contract/schemas.ts";
import type { Principal } from "../ports/ports.ts";
import { ServiceError } from "../domain/service-error.ts";

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

/** Parses a value by a schema of the contract. Errors: parameter_missing, parameter_unknown, parameter_invalid. */
export function validate<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  if (!issue) throw new ServiceError("parameter_invalid", "The request is not valid.");
  if (issue.code === "unrecognized_keys") {
    const param = formatPath([...issue.path, hideDigits(issue.keys[0] ?? "")]);
    throw new ServiceError(
      "parameter_unknown",
      `${param} is not known here. Check the spelling, or leave it out.`,
      param,
    );
  }
  const param = formatPath(issue.path);
  if (findValue(value, issue.path) === undefined) {
    const message = `${param} is required; it ${issue.message}.`;
    throw new ServiceError("parameter_missing", message, param);
  }
  throw new ServiceError("parameter_invalid", `${param} ${issue.message}.`, param);
}

const maxNameLength = 100;

/** A name from the request, as an error may repeat it: cut to a length, and without secrets. */
function maskName(name: string): string {
  return mask(name).slice(0, maxNameLength);
}

/** No field's name consists of digits, but a security code does. */
function hideDigits(name: string): string {
  return /^[0-9]+$/.test(name) ? "…" : name;
}

/** `["card", "number"]` is written `card[number]`. */
function formatPath(path: PropertyKey[]): string {
  const [first, ...rest] = path.map((step) => maskName(String(step)));
  return (first ?? "body") + rest.map((step) => `[${step}]`).join("");
}

function findValue(value: unknown, path: PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, step) =>
      typeof at === "object" && at !== null
        ? (at as Record<PropertyKey, unknown>)[step]
        : undefined,
    value,
  );
}
