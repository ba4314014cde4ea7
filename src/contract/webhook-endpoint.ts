import * as z from "zod";
import {
  endpointIdPattern,
  endpointStatuses,
  eventIdPattern,
  eventTypes,
  allEventTypes,
  maxOverlapHours,
  maxRecovered,
  normalizeSubscription,
} from "./field-values.ts";
import {
  endpointId,
  integer,
  maxAddressLength,
  smallInteger,
  text,
  webAddress,
} from "./field-schemas.ts";
import { listOf, listQuery } from "./list.ts";

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
  })
  .meta({ id: "WebhookEndpoint" });
export type WebhookEndpoint = z.infer<typeof webhookEndpoint>;

export const deletedEndpoint = z
  .object({
    id: z.string().regex(endpointIdPattern),
    object: z.literal("webhook_endpoint"),
    deleted: z.literal(true),
  })
  .meta({ id: "DeletedWebhookEndpoint" });
export type DeletedEndpoint = z.infer<typeof deletedEndpoint>;

/** The query of GET /v1/webhook_endpoints. */
export const listEndpointsQuery = listQuery(endpointId, {});
export type ListEndpointsQuery = z.infer<typeof listEndpointsQuery>;

/** A page of endpoints, newest first. */
export const endpointList = listOf(webhookEndpoint, "WebhookEndpointList");
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

const sincePhrase = "must be a Unix timestamp in seconds, such as 1767225600";

/** The body of POST /v1/webhook_endpoints/{id}/recover: events from this time on, in Unix seconds. */
export const recoverEndpointBody = z
  .strictObject({
    since: integer(0, Number.MAX_SAFE_INTEGER, sincePhrase),
  })
  .meta({ id: "RecoverWebhookEndpoint", examples: [{ since: 1_800_000_000 }] });
export type RecoverEndpointBody = z.infer<typeof recoverEndpointBody>;

/** How many events were queued again; with `has_more` another request queues the next ones. */
export const recovery = z
  .object({
    object: z.literal("recovery"),
    queued: z.int().min(0).max(maxRecovered),
    has_more: z.boolean(),
  })
  .meta({ id: "Recovery", examples: [{ object: "recovery", queued: 12, has_more: false }] });
export type Recovery = z.infer<typeof recovery>;

/** The outcome of a test of an endpoint: `event` is the id of the event that was sent. The rest is as in a try. */
export const webhookTest = z
  .object({
    object: z.literal("webhook_test"),
    event: z.string().regex(eventIdPattern),
    status: smallInteger().nullable(),
    duration_ms: smallInteger().min(0),
    error: z.string().nullable(),
    answer: z.string().nullable(),
  })
  .meta({
    id: "WebhookTest",
    examples: [
      {
        object: "webhook_test",
        event: "evt_0199c5a8-7f3e-7abc-9def-0123456789ab",
        status: 200,
        duration_ms: 48,
        error: null,
        answer: "ok",
      },
    ],
  });
export type WebhookTest = z.infer<typeof webhookTest>;
