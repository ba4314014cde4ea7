import * as z from "zod";
import { errorEnvelope, type ErrorCode } from "../../contract/error.ts";
import { commonErrors, routes, type ApiRoute, type ResponseHeader } from "../../contract/routes.ts";
import { responseSchemas, requestSchemas, type RequestSchemas } from "../../contract/schemas.ts";
import { atBank, newestVersion, simulatorName } from "../../contract/headers.ts";
import { statusByCode } from "./error-reply.ts";

type JsonSchema = Record<string, unknown>;
/** Writes a schema; those with a name that it holds go among the document's components. */
type Writer = (schema: z.ZodType, io: "input" | "output") => JsonSchema;

/** The API's description in OpenAPI 3.1, made from the contract's table of routes. */
export function createOpenApi(): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  const schemas: JsonSchema = {};
  const writeSchema: Writer = (schema, io) => {
    const { $schema: _, $defs, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
    Object.assign(schemas, rewriteReferences($defs ?? {}));
    return rewriteReferences(rest);
  };
  writeSchema(errorEnvelope, "input");
  for (const [name, route] of Object.entries<ApiRoute>(routes)) {
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
    (paths[path] ??= {})[route.method.toLowerCase()] = describeOperation(name, route, writeSchema);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Payments API",
      version: newestVersion,
      description: "Card payments: create, retrieve, list and refund. Amounts are minor units.",
    },
    servers: [{ url: "/" }],
    security: [{ apiKey: [] }],
    paths,
    components: {
      headers,
      securitySchemes: { apiKey: { type: "http", scheme: "bearer" } },
      schemas,
    },
  };
}

const headers: Record<ResponseHeader | "Service-Network", JsonSchema> = {
  "Service-Network": {
    description:
      "`simulator` on answers to a live key, where the service is on its built-in simulator: no money moves. Absent from all others.",
    schema: { type: "string", enum: [simulatorName] },
  },
  "Payment-Progress": {
    description:
      "`at_bank` while the customer is at the bank, which asks for a confirmation of the payment (3-D Secure). Absent from all others.",
    schema: { type: "string", enum: [atBank] },
  },
};

function referToHeaders(names: readonly ResponseHeader[] = []): JsonSchema {
  const all = ["Service-Network", ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function describeOperation(name: string, route: ApiRoute, writeSchema: Writer): JsonSchema {
  const { body, query }: RequestSchemas = requestSchemas[name as keyof typeof routes];
  const requestHeaders = [
    "Service-Version",
    ...(route.method === "POST" ? ["Idempotency-Key"] : []),
  ];
  const ids = [...route.path.matchAll(/:(\w+)/g)].map(([, id]) => id);
  return {
    operationId: name,
    summary: route.summary,
    ...(route.description && { description: route.description }),
    parameters: [
      ...ids.map((id) => ({ name: id, in: "path", required: true, schema: { type: "string" } })),
      ...requestHeaders.map((header) => ({
        name: header,
        in: "header",
        schema: { type: "string" },
      })),
      ...(query ? toQueryParameters(writeSchema(query, "output")) : []),
    ],
    ...(body && {
      requestBody: {
        required: !body.safeParse({}).success,
        content: { "application/json": { schema: writeSchema(body, "input") } },
      },
    }),
    responses: {
      [route.status]: {
        description: "Success",
        headers: referToHeaders(route.headers),
        content: {
          "application/json": { schema: writeSchema(responseSchemas[route.response], "input") },
        },
      },
      ...describeErrorResponses([...commonErrors, ...route.errors]),
    },
  };
}

function toQueryParameters(schema: JsonSchema): JsonSchema[] {
  const properties = Object.entries(schema["properties"] as JsonSchema);
  const patterns = Object.entries((schema["patternProperties"] ?? {}) as JsonSchema);
  return [
    ...properties.map(([name, property]) => ({ name, in: "query", schema: property })),
    // A parameter whose name has a key in brackets: `^metadata\[.{1,40}\]$`.
    ...patterns.map(([pattern, value]) => ({
      name: pattern.slice(1, pattern.indexOf("\\[")),
      in: "query",
      style: "deepObject",
      explode: true,
      schema: { type: "object", additionalProperties: value },
    })),
  ];
}

function describeErrorResponses(codes: ErrorCode[]): Record<string, JsonSchema> {
  const responses: Record<string, JsonSchema> = {};
  for (const [status, of] of Map.groupBy(new Set(codes), (code) => statusByCode[code])) {
    responses[status] = {
      description: of.join(", "),
      headers: referToHeaders(),
      content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
    };
  }
  return responses;
}

/** zod refers to `#/$defs`, which a document of OpenAPI does not have. */
function rewriteReferences(schema: JsonSchema): JsonSchema {
  return JSON.parse(
    JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'),
  ) as JsonSchema;
}
