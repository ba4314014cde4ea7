import { isJsonObject } from "../runtime/text.ts";
import responses from "./responses.json" with { type: "json" };

// The responses of the API without zod, which takes longer to load than a response to arrive. responses.json is
// generated from the routes and their schemas (bin/responses.ts).

/** The part of JSON Schema in which responses.json is written. */
export type ResponseSchema = {
  $ref?: string;
  anyOf?: readonly ResponseSchema[];
  type?: string | readonly string[];
  const?: unknown;
  enum?: readonly unknown[];
  pattern?: string;
  minimum?: number;
  maximum?: number;
  items?: ResponseSchema;
  maxItems?: number;
  properties?: Readonly<Record<string, ResponseSchema>>;
  required?: readonly string[];
  additionalProperties?: ResponseSchema;
};

const schemas: Readonly<Record<string, ResponseSchema>> = responses.schemas;
const nameByEndpoint: Readonly<Record<string, string>> = responses.endpoints;

/** The name of the schema of an endpoint's response, such as `Payment`; undefined for the control of a sandbox. */
export function findResponseName(endpoint: string): string | undefined {
  return nameByEndpoint[endpoint];
}

/** Whether a value satisfies the contract for certain: any other is left to zod. */
export function isCertainly(name: string, value: unknown): boolean {
  return fits({ $ref: name }, value);
}

const patterns = new Map<string, RegExp>();

function fits(schema: ResponseSchema, value: unknown): boolean {
  if (schema.$ref !== undefined) return fits(schemas[schema.$ref] ?? { enum: [] }, value);
  if (schema.anyOf) return schema.anyOf.some((each) => fits(each, value));
  if (schema.const !== undefined && value !== schema.const) return false;
  if (schema.enum && !schema.enum.includes(value)) return false;
  return [schema.type].flat().some((type) => type !== undefined && isOfType(type, schema, value));
}

function isOfType(type: string, schema: ResponseSchema, value: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "string":
      return typeof value === "string" && matches(schema.pattern, value);
    case "boolean":
      return typeof value === "boolean";
    case "integer":
      return Number.isSafeInteger(value) && isBetween(schema, Number(value));
    case "number":
      return typeof value === "number" && isBetween(schema, value);
    case "array":
      return Array.isArray(value) && areItems(schema, value);
    case "object":
      return isJsonObject(value) && areFields(schema, value);
    default:
      return false;
  }
}

function isBetween({ minimum = -Infinity, maximum = Infinity }: ResponseSchema, value: number) {
  return value >= minimum && value <= maximum;
}

function matches(pattern: string | undefined, value: string): boolean {
  if (pattern === undefined) return true;
  const known = patterns.get(pattern) ?? new RegExp(pattern);
  patterns.set(pattern, known);
  return known.test(value);
}

function areItems({ items, maxItems = Infinity }: ResponseSchema, list: unknown[]): boolean {
  return list.length <= maxItems && (!items || list.every((each) => fits(items, each)));
}

function areFields(schema: ResponseSchema, value: Record<string, unknown>): boolean {
  const { properties = {}, required = [], additionalProperties: others } = schema;
  if (!required.every((name) => Object.hasOwn(value, name))) return false;
  return Object.entries(value).every(([name, field]) => {
    const own = Object.hasOwn(properties, name) ? properties[name] : others;
    return !own || fits(own, field);
  });
}

/**
 * The names of the fields of a schema; one inside another is written `card.last4`. A list is one field, but for
 * `inLists`: then each field of its items is one, such as `data[].id`.
 */
function listFields(schema: ResponseSchema, inLists = false): string[] {
  const { $ref, anyOf, properties } = schema;
  if ($ref !== undefined) return listFields(schemas[$ref] ?? {}, inLists);
  if (anyOf) return anyOf.flatMap((each) => listFields(each, inLists));
  return Object.entries(properties ?? {}).flatMap(([name, field]) => {
    const items = inLists && field.items ? listFields(field.items, inLists) : [];
    if (items.length > 0) return items.map((each) => `${name}[].${each}`);
    const inner = listFields(field, inLists);
    return inner.length > 0 ? inner.map((each) => `${name}.${each}`) : [name];
  });
}

/** Every endpoint of the API: method and path. */
export const endpoints = Object.keys(nameByEndpoint);

/** The object that an endpoint responds with, and all its fields. */
export function describeResponse(endpoint: string): { object: string; fields: string[] } {
  const $ref = findResponseName(endpoint) ?? "";
  const object = schemas[$ref]?.properties?.["object"]?.const;
  return { object: String(object), fields: listFields({ $ref }, true) };
}

export const paymentFields = listFields({ $ref: "Payment" });
export const eventFields = listFields({ $ref: "Event" });
export const deliveryFields = listFields({ $ref: "Delivery" });
export const deliveryDetailsFields = listFields({ $ref: "DeliveryWithTries" });
export const momentFields = listFields({ $ref: "Moment" });
export const requestFields = listFields({ $ref: "Request" });
/** The secret is among them only where it has just been made. */
export const issuedEndpointFields = listFields({ $ref: "WebhookEndpoint" });
export const endpointFields = issuedEndpointFields.filter((name) => name !== "secret");
