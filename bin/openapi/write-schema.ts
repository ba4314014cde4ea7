import * as z from "zod";
import { describeField, describeSchema } from "./texts.ts";

export type JsonSchema = Record<string, unknown>;
/** Writes a schema; those with a name that it holds go among the document's components. */
export type WriteSchema = (schema: z.ZodType, io: "input" | "output") => JsonSchema;

/** Longer ids name nothing. */
export const maxIdLength = 255;

/** A writer of schemas, and the named ones that it has written so far. */
export function createSchemaWriter(): {
  schemas: Record<string, JsonSchema>;
  writeSchema: WriteSchema;
} {
  const schemas: Record<string, JsonSchema> = {};
  const writeSchema: WriteSchema = (schema, io) => {
    const written = z.toJSONSchema(schema, { io, unrepresentable: "any" });
    const { $schema: _, $defs = {}, ...rest } = written;
    for (const [name, definition] of Object.entries($defs)) {
      const described = describeFields(tidy(definition) as JsonSchema, name);
      schemas[name] = { description: describeSchema(name), ...described };
    }
    return tidy(rest) as JsonSchema;
  };
  return { schemas, writeSchema };
}

/** Every property gets its description; `path` leads to it from a named schema. */
function describeFields(schema: JsonSchema, path: string): JsonSchema {
  const properties = schema["properties"] as Record<string, JsonSchema> | undefined;
  const items = schema["items"] as JsonSchema | undefined;
  return {
    ...schema,
    ...(items && { items: describeFields(items, path) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => {
          const at = `${path}.${name}`;
          if ("$ref" in property) return [name, property];
          return [name, { description: describeField(at), ...describeFields(property, at) }];
        }),
      ),
    }),
  };
}

/**
 * Writes a schema as tools read it best: references lead to the components, a nullable type is one type with two names
 * but for an enumeration, values of an open one are examples, integers have a format and no bounds that say nothing, and
 * a text with a pattern has a length.
 */
function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy);
  if (typeof value !== "object" || value === null) return value;
  const schema: JsonSchema = Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, tidy(part)]),
  );
  delete schema["default"]; // what an older service leaves out
  if (typeof schema["$ref"] === "string") {
    return { ...schema, $ref: schema["$ref"].replace("#/$defs/", "#/components/schemas/") };
  }
  if (schema["type"] === "integer") return tidyInteger(schema);
  if (schema["isOpen"] === true) {
    const { isOpen: _, enum: examples, ...rest } = schema;
    return { ...rest, examples, maxLength: maxIdLength };
  }
  if (typeof schema["pattern"] === "string" && schema["type"] === "string") {
    return { maxLength: findPatternLength(schema["pattern"]), ...schema };
  }
  return mergeNull(schema);
}

const maxInt32 = 2 ** 31 - 1;
/** The end of the year 9999, in Unix seconds. */
const maxTime = 253_402_300_799;

/**
 * An integer that stays below 2^31, by its maximum or because the contract says so, has 32 bits. One without a minimum
 * is a time, a count or a status, none of which is negative.
 */
function tidyInteger(schema: JsonSchema): JsonSchema {
  const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schema;
  const isSmall = schema["format"] === "int32" || Number(maximum) <= maxInt32;
  const isTime = !isSmall && Number(minimum) < 0;
  return {
    ...schema,
    format: isSmall ? "int32" : "int64",
    minimum: Math.max(0, Number(minimum)),
    maximum: Math.min(Number(maximum), isSmall ? maxInt32 : isTime ? maxTime : Infinity),
  };
}

/** `anyOf` a type and null is that type or null. */
function mergeNull(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema;
  const [one, other] = anyOf as [JsonSchema, JsonSchema];
  const isPlain = typeof one["type"] === "string" && !("enum" in one);
  if (other["type"] !== "null" || !isPlain) return schema; // generators mistake null in an enumeration for a text
  return { ...rest, ...one, type: [one["type"], "null"] };
}

/** `{3,4}$` ends a pattern of at most four characters. */
function findPatternLength(pattern: string): number {
  const [, length] = /^\^\[[^\]]+\]\{(?:\d+,)?(\d+)\}\$$/.exec(pattern) ?? [];
  return length === undefined ? maxIdLength : Number(length);
}
