import type { Route } from "../../src/contract/route.ts";
import type { routes } from "../../src/contract/routes.ts";
import type { DescribeErrors } from "./describe-errors.ts";
import { describeParameters } from "./describe-parameters.ts";
import { describeSchema } from "./descriptions.ts";
import type { OperationExample } from "./operation-example.ts";
import { operationExamples } from "./operation-examples.ts";
import { referToHeaders } from "./response-headers.ts";
import { findTag } from "./tags.ts";
import type { JsonSchema, WriteSchema } from "./write-schema.ts";

type RouteName = keyof typeof routes;

/** Describes operations: their schemas go among the components, and so do the errors that several have. */
export function createOperationWriter(writeSchema: WriteSchema, describeErrors: DescribeErrors) {
  return (name: RouteName, route: Route): JsonSchema => {
    const examples: Record<string, OperationExample> = operationExamples[name];
    const schema = writeSchema(route.response, "input");
    return {
      operationId: name,
      tags: [findTag(route)],
      summary: route.summary,
      description: route.description ?? route.summary,
      parameters: describeParameters(name, route, writeSchema),
      ...describeBody(route, examples, writeSchema),
      responses: {
        [route.status]: {
          description: describeSchema(String(schema["$ref"]).split("/").at(-1) ?? ""),
          headers: referToHeaders(route),
          content: { "application/json": { schema, examples: listExamples(examples, "response") } },
        },
        ...describeErrors(name, route),
      },
    };
  };
}

function describeBody(
  { body }: Route,
  examples: Record<string, OperationExample>,
  writeSchema: WriteSchema,
): JsonSchema {
  const requests = listExamples(examples, "request");
  if (!body) return {};
  return {
    requestBody: {
      required: !body.safeParse({}).success,
      content: { "application/json": { schema: writeSchema(body, "input"), examples: requests } },
    },
  };
}

/** The request of an example and its response have the same name. */
function listExamples(
  examples: Record<string, OperationExample>,
  part: "request" | "response",
): JsonSchema {
  return Object.fromEntries(
    Object.entries(examples).flatMap(([name, { summary, ...example }]) =>
      example[part] === undefined ? [] : [[name, { summary, value: example[part] }]],
    ),
  );
}
