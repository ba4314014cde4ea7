import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { z } from "zod";
import type { Route } from "../../../src/contract/route.ts";
import { type Answer, errorIn } from "./open-app.ts";

export type Schema = Record<string, unknown>;
type Example = { summary: string; value: unknown };
type Content = { content: { "application/json": { schema: Schema; examples?: Examples } } };
export type Examples = Record<string, Example>;
type Parameter = {
  name: string;
  in: string;
  required?: boolean;
  description: string;
  schema: Schema;
  example: unknown;
};
export type Operation = {
  operationId: string;
  tags: string[];
  description: string;
  parameters: Parameter[];
  requestBody?: Content & { required: boolean };
  responses: Record<string, Content & { description: string; headers: Record<string, Header> }>;
};
type Header = { description: string; required?: boolean; schema: Schema };
type Document = {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
};

/** The API's description as it is in the repository. */
export const documentText = readFileSync(
  new URL("../../../docs/openapi.json", import.meta.url),
  "utf8",
);

const validator = new Validator();
/** Whether it is valid OpenAPI, and of which version. */
export const validity = {
  ...(await validator.validate(JSON.parse(documentText) as Schema)),
  version: validator.version,
};
/** The description with all its references resolved. */
export const resolvedDocument = validator.resolveRefs() as Document;

export function findOperation({ path, method }: Pick<Route, "path" | "method">): Operation {
  const item = resolvedDocument.paths[path.replaceAll(/:(\w+)/g, "{$1}")];
  const operation = item?.[method.toLowerCase()];
  if (!operation) throw new Error(`${method} ${path} is not described`);
  return operation;
}

/** The first mistake in a value by a schema of the document. */
export function findSchemaMistake(schema: Schema, value: unknown): string | undefined {
  const result = z.fromJSONSchema(schema).safeParse(value);
  return result.success ? undefined : z.prettifyError(result.error);
}

/** Those of HTTP itself, which the document leaves out. */
const plainHeaders = new Set(["content-type", "content-length", "date", "connection"]);

/** The difference between a response and the description of its endpoint: its schema, its error code, its headers. */
export function findMismatch(route: Route, answer: Answer): string | undefined {
  const response = findOperation(route).responses[answer.status];
  if (!response) return `${answer.status} is not described: ${answer.text}`;
  const described = new Map(
    Object.entries(response.headers).map(([name, header]) => [name.toLowerCase(), header]),
  );
  for (const [name, { required }] of described)
    if (required && !(name in answer.headers)) return `the header ${name} is missing`;
  for (const name of Object.keys(answer.headers))
    if (!described.has(name) && !plainHeaders.has(name)) return `${name} is not described`;
  const { schema } = response.content["application/json"];
  const mistake = findSchemaMistake(schema, JSON.parse(answer.text));
  if (mistake !== undefined) return mistake;
  if (answer.status < 400 || response.description.includes(`\`${errorIn(answer).code}\``))
    return undefined;
  return `${errorIn(answer).code} is not described`;
}
