import * as z from "zod";
import {
  endpointId,
  integer,
  listOf,
  listQuery,
  maxAddressLength,
  text,
  webAddress,
} from "./list.ts";
import {
  allEventTypes,
  endpointIdPattern,
  endpointStatuses,
  eventTypes,
  maxOverlapHours,
  normalizeSubscription,
} from "./field-values.ts";
import { defineRoute, type Route } from "./route.ts";

const urlPhrase = `must be an https address (in test mode http, too) of at most ${maxAddressLength} characters, such as https://shop.example/hooks, without user name or password`;

const url = webAddress(urlPhrase);

const subscribable = [allEventTypes, ...eventTypes] as const;

const eventsPhrase = `must be a list of event types (${eventTypes.join(", ")}), or ["${allEventTypes}"]`;

const events = z
  .array(z.enum(subscribable, { error: `must be one of ${subscribable.join(", ")}` }), {
    error: eventsPhrase,
  })
  .min(1, { error: eventsPhrase })
  .max(eventTypes.length + 1, { error: eventsPhrase })
  .transform(normalizeSubscription);

/**
 * Events are sent to `url`, or fetched by `payments listen` where `url` is null. `secret` is present only where it is
 * new: at creation, and after a roll.
 */
export const webhookEndpoint = z
  .object({
    id: z.string().regex(endpointIdPattern),
    object: z.literal("webhook_endpoint"),
    url: z.string().nullable(),
    events: z.array(z.string()).meta({ maxItems: eventTypes.length + 1 }),
    description: z.string().nullable(),
    status: z.enum(endpointStatuses),
    disabled_reason: z.string().nullable(),
    secret: z.string().optional(),
    created: z.int(),
    livemode: z.boolean(),
    // A service of 1.0 leaves these out.
    last_success_at: z.int().nullable().default(null),
    failing_since: z.int().nullable().default(null),
  })
  .meta({ id: "WebhookEndpoint" });
export type WebhookEndpoint = z.infer<typeof webhookEndpoint>;

const deletedEndpoint = z
  .object({
    id: z.string().regex(endpointIdPattern),
    object: z.literal("webhook_endpoint"),
    deleted: z.literal(true),
  })
  .meta({ id: "DeletedWebhookEndpoint" });
export type DeletedEndpoint = z.infer<typeof deletedEndpoint>;

/** The query of GET /v1/webhook_endpoints. */
const listEndpointsQuery = listQuery(endpointId, {});
export type ListEndpointsQuery = z.infer<typeof listEndpointsQuery>;

/** A page of endpoints, newest first. */
const endpointList = listOf(webhookEndpoint, "WebhookEndpointList");
export type EndpointList = z.infer<typeof endpointList>;

const description = text({ max: 500 });

/** The body of POST /v1/webhook_endpoints; by default for all events. */
export const createEndpointBody = z
  .strictObject({
    url: url.nullable(),
    events: events.nullish(),
    description: description.nullish(),
  })
  .meta({ id: "CreateWebhookEndpoint" });
export type CreateEndpointBody = z.infer<typeof createEndpointBody>;

/** The body of POST /v1/webhook_endpoints/{id}: fields that are left out do not change. */
export const updateEndpointBody = z
  .strictObject({
    url: url.optional(),
    events: events.nullish(),
    description: description.nullish(),
    status: z
      .enum(endpointStatuses, { error: `must be one of ${endpointStatuses.join(", ")}` })
      .nullish(),
  })
  .meta({ id: "UpdateWebhookEndpoint" });
export type UpdateEndpointBody = z.infer<typeof updateEndpointBody>;

const overlapPhrase = `must be an integer from 0 to ${maxOverlapHours}`;

/** The body of POST /v1/webhook_endpoints/{id}/roll: how long the old secret also signs. */
export const rollEndpointBody = z
  .strictObject({
    overlap_hours: integer(0, maxOverlapHours, overlapPhrase).nullish(),
  })
  .meta({ id: "RollWebhookEndpoint" });
export type RollEndpointBody = z.infer<typeof rollEndpointBody>;

export const endpointRoutes = {
  createEndpoint: defineRoute("POST /v1/webhook_endpoints", {
    summary: "Create a webhook endpoint",
    permission: "webhooks",
    description:
      "Returns the endpoint's `secret`, which is not shown again. With `url` null the endpoint is a listener: it fetches its deliveries instead of receiving requests. An account has at most 16 endpoints in each mode, and 16 listeners.",
    status: 201,
    body: createEndpointBody,
    response: webhookEndpoint,
  }),
  listEndpoints: defineRoute("GET /v1/webhook_endpoints", {
    summary: "List webhook endpoints, newest first",
    permission: "read",
    description: "Listeners are among them: their `url` is null. No `secret` is shown.",
    query: listEndpointsQuery,
    response: endpointList,
  }),
  getEndpoint: defineRoute("GET /v1/webhook_endpoints/:id", {
    summary: "Retrieve a webhook endpoint",
    permission: "read",
    description: "Returns the endpoint without its `secret`.",
    response: webhookEndpoint,
  }),
  updateEndpoint: defineRoute("POST /v1/webhook_endpoints/:id", {
    summary: "Change a webhook endpoint",
    permission: "webhooks",
    description:
      "While an endpoint is disabled, no events are queued for it, and its pending deliveries fail. Once enabled again it gets new events.",
    body: updateEndpointBody,
    response: webhookEndpoint,
  }),
  rollEndpoint: defineRoute("POST /v1/webhook_endpoints/:id/roll", {
    summary: "Give a webhook endpoint a new secret",
    permission: "webhooks",
    description:
      "Returns the new `secret`. The old one also signs until `overlap_hours` have passed: 24 by default, none with 0.",
    body: rollEndpointBody,
    response: webhookEndpoint,
  }),
  deleteEndpoint: defineRoute("DELETE /v1/webhook_endpoints/:id", {
    summary: "Delete a webhook endpoint",
    permission: "webhooks",
    description: "Deliveries that are still pending are not sent.",
    response: deletedEndpoint,
  }),
} satisfies Record<string, Route>;

/** The texts of the API's description: of schemas by their names, of fields by their paths. */
export const endpointTexts = {
  WebhookEndpoint: "An address to which events are sent, or a listener that fetches them.",
  WebhookEndpointList: "A page of webhook endpoints, newest first.",
  DeletedWebhookEndpoint: "The deleted webhook endpoint.",
  CreateWebhookEndpoint: "A webhook endpoint to create.",
  UpdateWebhookEndpoint: "What to change of a webhook endpoint. Fields that are left out stay.",
  RollWebhookEndpoint: "How to replace the secret.",
  "WebhookEndpoint.url": "Where events are sent; null for a listener.",
  "WebhookEndpoint.events": 'The types to send; `["*"]` for all.',
  "WebhookEndpoint.description": "As it was sent.",
  "WebhookEndpoint.status": "Whether events are sent.",
  "WebhookEndpoint.disabled_reason":
    "Why the service disabled it: `gone` (it answered 410) or `failing` (nothing succeeded for 5 days).",
  "WebhookEndpoint.secret":
    "Signs what is sent. Shown only when it is new: at creation, and after a roll.",
  "WebhookEndpoint.last_success_at":
    "When it last accepted a delivery, in Unix seconds; null if it never has at its present address, or not since the update to 1.1.",
  "WebhookEndpoint.failing_since":
    "Since when every delivery to it has failed, in Unix seconds; null if the last one succeeded.",
  "DeletedWebhookEndpoint.deleted": "Always true.",
  "CreateWebhookEndpoint.url":
    "An `https` address, without user name and password; in test mode also `http`. Null makes a listener.",
  "CreateWebhookEndpoint.events": "The types to send. By default all.",
  "UpdateWebhookEndpoint.url":
    "An `https` address, without user name and password; in test mode also `http`.",
  "UpdateWebhookEndpoint.events": "The types to send.",
  "UpdateWebhookEndpoint.status": "Whether events are sent.",
  "RollWebhookEndpoint.overlap_hours": "How long the old secret signs, too. By default 24.",
};
