import {
  type ErrorCode,
  ServiceError,
  errorCodes,
  errorExamples,
  missingByPath,
  statusByCode,
} from "../../src/contract/error.ts";
import { commonErrors, type Route } from "../../src/contract/route.ts";
import type { routes } from "../../src/contract/routes.ts";
import { defaultSandboxUrl } from "../../src/contract/field-values.ts";
import { toErrorReply } from "../../src/service/http/broken-requests.ts";
import { validate } from "../../src/contract/validate.ts";
import { exampleIds } from "./example-objects.ts";
import { referToErrorHeaders } from "./response-headers.ts";
import type { JsonSchema } from "./write-schema.ts";

type RouteName = keyof typeof routes;
export type DescribeErrors = (name: RouteName, route: Route) => JsonSchema;

/**
 * Describes the errors of routes. A response that several routes have is a component of the document, and so is each
 * example.
 */
export function createErrorWriter(all: [string, Route][]) {
  const responses: JsonSchema = {};
  const examples: JsonSchema = {};
  const uses = new Map<string, number>();
  for (const [name, route] of all)
    for (const [, response] of listResponses(name as RouteName, route))
      uses.set(nameResponse(response), (uses.get(nameResponse(response)) ?? 0) + 1);

  const describeErrors: DescribeErrors = (routeName, route) =>
    Object.fromEntries(
      listResponses(routeName, route).map(([status, errors]) => {
        for (const error of errors) examples[error.name] = toExample(error);
        const name = nameResponse(errors);
        if ((uses.get(name) ?? 0) < 2) return [status, describeResponse(errors)];
        responses[name] = describeResponse(errors);
        return [status, { $ref: `#/components/responses/${name}` }];
      }),
    );
  return { responses, examples, describeErrors };
}

type ErrorExample = { name: string; code: ErrorCode; message: string; param: string | null };

/** The errors of a route, by status. */
function listResponses(name: RouteName, route: Route): [number, ErrorExample[]][] {
  const codes = [...new Set([...commonErrors, ...route.errors])];
  const errors = codes.flatMap((code) => findExample(code, name, route) ?? []);
  return [...Map.groupBy(errors, ({ code }) => statusByCode[code])];
}

function findExample(
  code: ErrorCode,
  name: RouteName,
  { path, body, query, permission }: Route,
): ErrorExample | undefined {
  if (code === "parameter_missing") return findMissing(name, body ?? query);
  if (code === "resource_missing") {
    const kind = path.split("/")[2] as keyof typeof missingByPath;
    return { code, ...missingByPath[kind] };
  }
  if (code === "permission_denied") {
    const message = errorExamples[code].message.replace("refund", String(permission));
    return { ...errorExamples[code], name: `${permission}_denied`, code, message };
  }
  return { name: code, code, ...errorExamples[code] };
}

/** A body or a query that may be empty lacks nothing; another one that is empty lacks its first field. */
function findMissing(name: RouteName, schema: Route["body"]): ErrorExample | undefined {
  try {
    if (schema) validate(schema, {});
    return undefined;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { code, message, param } = error;
    return { name: `${name}_${code}`, code, message, param };
  }
}

/** The names of RFC 9110: those of Node change with its version, and the document must not. */
const phrases: Record<(typeof statusByCode)[ErrorCode], string> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  409: "Conflict",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  503: "Service Unavailable",
};

/** The name of a response as a component: that of its status, with what differs between routes. */
function nameResponse(errors: readonly ErrorExample[]): string {
  const [first] = errors;
  if (!first) throw new Error("A response has at least one error.");
  const missing = errors.find(({ code }) => code === "parameter_missing");
  if (missing) return toPascalCase(missing.name);
  const status = statusByCode[first.code];
  if ([403, 404, 422].includes(status)) return toPascalCase(first.name);
  const hasBody = errors.some(({ code }) => code === "invalid_json");
  return toPascalCase(`${phrases[status]}${hasBody ? " Body" : ""}`);
}

function toPascalCase(text: string): string {
  return text
    .split(/[ _-]/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("");
}

function describeResponse(errors: readonly ErrorExample[]): JsonSchema {
  const codes = errors.map(({ code }) => code);
  const [first = "internal_error"] = codes;
  return {
    description: `${phrases[statusByCode[first]]}: ${codes.map((code) => `\`${code}\``).join(", ")}`,
    headers: referToErrorHeaders(codes),
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/Error" },
        examples: Object.fromEntries(
          errors.map(({ name, code }) => [code, { $ref: `#/components/examples/${name}` }]),
        ),
      },
    },
  };
}

function toExample({ code, message, param }: ErrorExample): JsonSchema {
  const { meaning, remedy } = errorCodes[code];
  const context = {
    requestId: exampleIds.request,
    docsUrl: `${defaultSandboxUrl}/docs/errors`,
  };
  const { body } = toErrorReply(new ServiceError(code, message, param), context);
  return { summary: meaning, description: remedy, value: JSON.parse(body) as JsonSchema };
}
