import type { Route } from "../../src/contract/route.ts";
import type { routes } from "../../src/contract/routes.ts";
import type { DescribeErrors } from "./describe-errors.ts";
import { describeParameters } from "./describe-parameters.ts";
import { type OperationExample, operationExamples } from "./operation-examples.ts";
import { referToHeaders } from "./response-headers.ts";
import { describeSchema } from "./texts.ts";
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
      "x-permission": route.permission,
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

/** The groups of operations, in the order in which a reader needs them. */
export const tags = [
  { name: "Payments", description: "Create, find, refund and cancel card payments." },
  {
    name: "Account",
    description: "The account of the API key, and what became of its payments.",
  },
  {
    name: "Events",
    description: "Each change of a payment is an event, stored for 30 days by default.",
  },
  {
    name: "Webhook endpoints",
    description: "Addresses to which events are sent, and the deliveries to them.",
  },
  {
    name: "Listeners",
    description:
      "Webhook endpoints without an address, whose deliveries are fetched. `payments listen` uses them.",
  },
  { name: "Requests", description: "The log of the requests that wrote, were refused or failed." },
  { name: "Webhooks", description: "What the service sends to your endpoints." },
] as const;

type Tag = (typeof tags)[number]["name"];

const tagByPath: Record<string, Tag> = {
  payments: "Payments",
  account: "Account",
  reports: "Account",
  events: "Events",
  webhook_endpoints: "Webhook endpoints",
  deliveries: "Webhook endpoints",
  requests: "Requests",
};

function findTag({ path, method, ignoresKey }: Route): Tag {
  if (method === "POST" && ignoresKey) return "Listeners";
  const tag = tagByPath[path.split("/")[2] ?? ""];
  if (!tag) throw new Error(`tags.ts has no tag for ${path}.`);
  return tag;
}
