import { eventTypes, testEventType, type EventType } from "../../src/contract/field-values.ts";
import { exampleEvents, exampleIds, exampleTestEvent } from "./example-objects.ts";
import type { JsonSchema } from "./write-schema.ts";

/** What the service sends to webhook endpoints: an event of each type (Standard Webhooks). */
export function describeWebhooks(): Record<string, JsonSchema> {
  const webhooks = eventTypes.map((type) => [
    type,
    describeWebhook({
      type,
      summary: summaries[type],
      description:
        "Each event arrives at least once, and events may arrive in another order than they happened in: ignore one whose `sequence` is not higher than the highest of its payment so far. Verify the signature on the body as it arrived, answer with 2xx, and work afterwards.",
      schema: "Event",
      example: exampleEvents[type],
    }),
  ]);
  const test = describeWebhook({
    type: testEventType,
    summary: "A test of the endpoint",
    description:
      "Sent once by `POST /v1/webhook_endpoints/{id}/test`, and not stored. Answer with 2xx, and do nothing else.",
    schema: "TestEvent",
    example: exampleTestEvent,
  });
  return Object.fromEntries([...webhooks, [testEventType, test]]) as Record<string, JsonSchema>;
}

const summaries: Record<EventType, string> = {
  "payment.pending": "A payment waits for the customer, or for the card's bank",
  "payment.succeeded": "A payment has succeeded",
  "payment.failed": "A payment has failed",
  "payment.refunded": "A payment has been refunded",
};

type Webhook = {
  type: string;
  summary: string;
  description: string;
  schema: "Event" | "TestEvent";
  example: object;
};

function describeWebhook({ type, summary, description, schema, example }: Webhook): JsonSchema {
  const name = type.replaceAll(/(?:^|\.)(\w)/g, (_, first: string) => first.toUpperCase());
  return {
    post: {
      operationId: `receive${name}`,
      tags: ["Webhooks"],
      summary,
      description,
      security: [],
      parameters,
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: { $ref: `#/components/schemas/${schema}` },
            examples: { event: { summary, value: example } },
          },
        },
      },
      responses: {
        "2XX": { description: "The event is delivered. The body is not read beyond 64 KiB." },
        "410": { description: "The endpoint is disabled: it gets no more events." },
        default: {
          description:
            "Anything else, and no answer within 15 seconds: the event is sent again later. A longer `Retry-After` is respected, up to a day. Redirects are not followed.",
        },
      },
    },
  };
}

const parameters = [
  {
    name: "webhook-id",
    in: "header",
    required: true,
    description: "The event's id, the same at every attempt.",
    schema: { type: "string", pattern: "^evt_[a-zA-Z0-9-]+$", maxLength: 255 },
    example: exampleIds.event,
  },
  {
    name: "webhook-timestamp",
    in: "header",
    required: true,
    description:
      "When this attempt was signed, in Unix seconds. Refuse one more than five minutes away.",
    schema: { type: "string", pattern: "^[0-9]{1,16}$", maxLength: 16 },
    example: "1794744000",
  },
  {
    name: "webhook-signature",
    in: "header",
    required: true,
    description:
      "`v1,` and the base64 of an HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` with the endpoint's secret (Standard Webhooks). After a roll there are two for a while, separated by a space.",
    schema: {
      type: "string",
      pattern: "^v1,[A-Za-z0-9+/=]+( v1,[A-Za-z0-9+/=]+)*$",
      maxLength: 255,
    },
    example: "v1,Zw84YN3g/Y2eoj5BAVQcQSBZBQsmdtBwRfIG/NQ/KU4=",
  },
];
