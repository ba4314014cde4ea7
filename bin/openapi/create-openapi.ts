import { errorEnvelope } from "../../src/contract/error.ts";
import { testEvent } from "../../src/contract/event.ts";
import { defaultSandboxUrl } from "../../src/contract/field-values.ts";
import { type Route, newestVersion } from "../../src/contract/route.ts";
import { routes } from "../../src/contract/routes.ts";
import { createErrorWriter } from "./describe-errors.ts";
import { createOperationWriter, tags } from "./describe-operation.ts";
import { headerParameters } from "./describe-parameters.ts";
import { describeWebhooks } from "./describe-webhooks.ts";
import { responseHeaders } from "./response-headers.ts";
import { type JsonSchema, createSchemaWriter } from "./write-schema.ts";

/**
 * The API's description in OpenAPI 3.1, made from the contract's table of routes: docs/openapi.json. A service returns
 * it at /openapi.json with its own address.
 */
export function renderOpenApi(): string {
  return `${JSON.stringify(createOpenApi(), null, 2)}\n`;
}

function createOpenApi(): JsonSchema {
  const { schemas, writeSchema } = createSchemaWriter();
  for (const schema of [errorEnvelope, testEvent]) writeSchema(schema, "input"); // responses may gain fields
  const errors = createErrorWriter(Object.entries<Route>(routes));
  const describeOperation = createOperationWriter(writeSchema, errors.describeErrors);
  const paths: Record<string, JsonSchema> = {};
  for (const [name, route] of Object.entries<Route>(routes)) {
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
    (paths[path] ??= {})[route.method.toLowerCase()] = describeOperation(
      name as keyof typeof routes,
      route,
    );
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Payments API",
      version: newestVersion,
      summary: "Card payments: create, retrieve, list and refund.",
      description: introduction,
      license: { name: "MIT", identifier: "MIT" },
    },
    // An address and not `/`, which some clients join with a path to `//v1/account`.
    servers: [
      {
        url: defaultSandboxUrl,
        description: "`payments sandbox` or `payments serve` on this machine",
      },
    ],
    security: [{ apiKey: [] }],
    tags,
    paths,
    webhooks: describeWebhooks(),
    components: {
      schemas,
      parameters: headerParameters,
      headers: responseHeaders,
      responses: errors.responses,
      examples: errors.examples,
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description:
            "A secret API key. One that begins with `svc_test_sk_` acts in test mode, one with `svc_live_sk_` in live mode. Keep it on your server. It has full access to the account unless it was made with fewer permissions: `x-permission` of an operation names the one that it needs, null where any key may.",
        },
      },
    },
  };
}

const introduction = `Test and live mode have the same paths; the API key decides the mode, and their data never meets. Amounts are integers in minor units: 4999 is 49.99 EUR. Times are Unix seconds.

Every POST of a payment, event or webhook endpoint takes an \`Idempotency-Key\`: repeat a request whose response was lost with the same key, and it happens once. Its body is JSON of at most 64 KiB. A list is paged with \`starting_after\` and \`ending_before\`; \`has_more\` says whether there is another page. A cursor is the id of an object that exists. Unknown fields and parameters are refused, and so is a parameter or header that is sent twice. No text that is kept may hold a card number, a NUL or a lone surrogate.

A request that fails is answered with an \`Error\`. Retry network failures, 429 and 5xx with exponential backoff, and not before \`Retry-After\`. A declined card is not an error: the payment's \`status\` is \`failed\`, and \`decline_code\` says why.

Responses may gain fields in a later version: ignore those that you do not know.`;
