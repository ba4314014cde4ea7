// Writes src/contract/responses.json: the schema of each response, so that a command checks one, and knows the names of
// its fields, without loading zod.
//   node bin/responses.ts
import { writeFileSync } from "node:fs";
import * as z from "zod";
import type { ResponseSchema } from "../src/contract/responses.ts";
import { routes } from "../src/contract/routes.ts";

export const responsesFile = "src/contract/responses.json";

export function renderResponses(): string {
  const schemas: Record<string, ResponseSchema> = {};
  const endpoints: Record<string, string> = {};
  for (const { endpoint, response } of Object.values(routes)) {
    const { $ref = "", $defs = {} } = z.toJSONSchema(response, { io: "input" }); // responses may gain fields
    endpoints[endpoint] = toName($ref);
    for (const [name, schema] of Object.entries($defs)) schemas[name] = toSchema(schema);
  }
  return `${JSON.stringify({ endpoints, schemas }, null, 1)}\n`;
}

type JsonSchema = z.core.JSONSchema.JSONSchema;

/** Keywords that the check of responses leaves out. */
const unchecked = new Set([
  "default",
  "description",
  "examples",
  "format",
  "id",
  "isOpen",
  "propertyNames",
]);

function toSchema(written: z.core.JSONSchema._JSONSchema): ResponseSchema {
  const entries = Object.entries(written as JsonSchema).filter(([name]) => !unchecked.has(name));
  return Object.fromEntries(entries.flatMap(([name, value]) => toKeyword(name, value)));
}

function toKeyword(name: string, value: unknown): [string, unknown][] {
  switch (name) {
    case "$ref":
      return [[name, toName(String(value))]];
    case "minimum":
    case "maximum":
      return Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER ? [] : [[name, value]];
    case "anyOf":
      return [[name, (value as JsonSchema[]).map(toSchema)]];
    case "items":
    case "additionalProperties":
      return [[name, toSchema(value as JsonSchema)]];
    case "properties":
      return [[name, Object.fromEntries(toProperties(value as Record<string, JsonSchema>))]];
    case "type":
    case "const":
    case "enum":
    case "pattern":
    case "maxItems":
    case "required":
      return [[name, value]];
    default:
      throw new Error(`src/contract/responses.ts does not check ${name}.`);
  }
}

function toProperties(properties: Record<string, JsonSchema>): [string, ResponseSchema][] {
  return Object.entries(properties).map(([name, schema]) => [name, toSchema(schema)]);
}

function toName($ref: string): string {
  return $ref.replace("#/$defs/", "");
}

if (import.meta.main) writeFileSync(responsesFile, renderResponses());
