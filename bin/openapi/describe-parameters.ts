import { createHash } from "node:crypto";
import { type Route, idempotencyKeyPattern, newestVersion } from "../../src/contract/route.ts";
import { exampleIds } from "./example-objects.ts";
import { describeParameter } from "./texts.ts";
import { maxIdLength, type JsonSchema, type WriteSchema } from "./write-schema.ts";

/** The headers that requests may have, as components of the document. */
export const headerParameters: Record<string, JsonSchema> = {
  "Service-Version": {
    name: "Service-Version",
    in: "header",
    description:
      "The date of the API's version to apply: the newest one released on or before it. By default that of the account.",
    schema: { type: "string", format: "date", pattern: "^\\d{4}-\\d{2}-\\d{2}$", maxLength: 10 },
    example: newestVersion,
  },
};

/** Each operation has an example of its own: a collection that was imported sends them as they are. */
function describeIdempotencyKey(operation: string): JsonSchema {
  return {
    name: "Idempotency-Key",
    in: "header",
    description:
      "A key of your choice, best a UUIDv4, that makes a retry safe: for 24 hours the same request with the same key gets the stored response, and happens once. Visible ASCII characters, without spaces and card numbers.",
    schema: { type: "string", pattern: idempotencyKeyPattern.source, minLength: 1, maxLength: 255 },
    example: toUuid(operation),
  };
}

/** A UUIDv4 that is the same in every document. */
function toUuid(name: string): string {
  const hex = createHash("sha256").update(name).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

const reasonParameter: JsonSchema = {
  name: "Service-Reason",
  in: "header",
  description:
    "Why, for the activity log of the account: UTF-8, percent-encoded, of at most 500 characters. No card number. An `Idempotency-Key` names the same request with any reason, and the first one's is kept.",
  schema: { type: "string", pattern: "^(?:[^%]|%[0-9A-Fa-f]{2})+$", minLength: 1, maxLength: 6000 },
  example: "Charged%20twice",
};

/** The parameters of an operation: ids of its path, headers, query. */
export function describeParameters(
  operation: string,
  route: Route,
  writeSchema: WriteSchema,
): JsonSchema[] {
  const { query } = route;
  const takesKey = route.method === "POST" && !route.ignoresKey;
  return [
    ...describePath(route),
    { $ref: "#/components/parameters/Service-Version" },
    ...(takesKey ? [describeIdempotencyKey(operation)] : []),
    ...(route.path.endsWith("/refund") ? [reasonParameter] : []),
    ...(query ? describeQuery(writeSchema(query, "output"), route) : []),
  ];
}

const idByPath = {
  payments: ["payment", exampleIds.payment],
  events: ["event", exampleIds.event],
  webhook_endpoints: ["webhook endpoint", exampleIds.endpoint],
  requests: ["request", exampleIds.request],
} as const;

function describePath({ path }: Route): JsonSchema[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => {
    const [what, example] = name === "delivery" ? delivery : findKind(path);
    const pattern = `^${example.split("_", 1)[0]}_[a-zA-Z0-9-]+$`;
    return {
      name,
      in: "path",
      required: true,
      description: `The id of the ${what}.`,
      schema: { type: "string", pattern, maxLength: maxIdLength },
      example,
    };
  });
}

const delivery = ["delivery", exampleIds.delivery] as const;

export function findKind(path: string) {
  return idByPath[path.split("/")[2] as keyof typeof idByPath];
}

/** The id of an object in a list: its cursors are ids. */
function findId({ path }: Route): string {
  const [, id] = path.endsWith("/deliveries") ? delivery : findKind(path);
  return id;
}

function describeQuery(schema: JsonSchema, route: Route): JsonSchema[] {
  const properties = Object.entries(schema["properties"] as JsonSchema);
  const patterns = Object.entries((schema["patternProperties"] ?? {}) as JsonSchema);
  const describe = (name: string, rest: JsonSchema) => {
    const { text, example = findId(route) } = describeParameter(route.path, name);
    return { name, in: "query", description: text, ...rest, example };
  };
  return [
    ...properties.map(([name, property]) => describe(name, { schema: property })),
    // A parameter whose name has a key in brackets: `^metadata\[.{1,40}\]$`.
    ...patterns.map(([pattern, value]) =>
      describe(pattern.slice(1, pattern.indexOf("\\[")), {
        style: "deepObject",
        explode: true,
        schema: { type: "object", additionalProperties: value, maxProperties: 3 },
      }),
    ),
  ];
}
