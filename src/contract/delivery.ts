import * as z from "zod";
import {
  createdRange,
  cursors,
  deliveryId,
  eventId,
  integer,
  listOf,
  listQuery,
  paymentId,
  severalOf,
  smallInteger,
  useOneCursor,
} from "./list.ts";
import {
  deliveryIdPattern,
  deliveryStatuses,
  endpointIdPattern,
  eventIdPattern,
  eventTypes,
  maxRecovered,
  maxTries,
} from "./field-values.ts";
import { emptyBody } from "./payment.ts";
import { defineRoute, type Route } from "./route.ts";

/**
 * The delivery of an event to an endpoint. `last_status` is the endpoint's last response, `last_error` why that was no
 * success; `next_attempt_at` is in Unix seconds, and null after the last attempt.
 */
export const delivery = z
  .object({
    id: z.string().regex(deliveryIdPattern),
    object: z.literal("delivery"),
    event: z.string().regex(eventIdPattern),
    type: z.enum(eventTypes).meta({ isOpen: true }),
    status: z.enum(deliveryStatuses),
    attempts: smallInteger().min(0),
    next_attempt_at: z.int().nullable(),
    last_status: smallInteger().nullable(),
    last_error: z.string().nullable(),
    created: z.int(),
    endpoint: z.string().regex(endpointIdPattern).default(""), // a service of 1.0 leaves it out
  })
  .meta({ id: "Delivery" });
export type Delivery = z.infer<typeof delivery>;

/**
 * One try to deliver: when it began, in Unix seconds, and how long it took. `status` is null where there was no answer,
 * `error` why it was no success, `answer` the beginning of the answer as text. The duration is null where a listener
 * did not report it.
 */
const deliveryTry = z
  .object({
    created: z.int(),
    status: smallInteger().nullable(),
    duration_ms: smallInteger().min(0).nullable(),
    error: z.string().nullable(),
    answer: z.string().nullable(),
  })
  .meta({
    id: "DeliveryTry",
    examples: [
      {
        created: 1_800_000_000,
        status: 503,
        duration_ms: 31,
        error: "the endpoint answered 503",
        answer: "Service Unavailable",
      },
    ],
  });
export type DeliveryTry = z.infer<typeof deliveryTry>;

/** A delivery with its last tries, the newest last. */
const deliveryDetails = delivery
  .extend({ tries: z.array(deliveryTry).max(maxTries) })
  .meta({ id: "DeliveryWithTries" });
export type DeliveryDetails = z.infer<typeof deliveryDetails>;

const deliveryFilters = { status: severalOf(deliveryStatuses).optional(), ...createdRange };

/**
 * The query of GET /v1/webhook_endpoints/{id}/deliveries. The times are those of the events, or of the resend; a
 * status is looked for in the whole of that time.
 */
export const listDeliveriesQuery = listQuery(deliveryId, deliveryFilters);
export type ListDeliveriesQuery = z.infer<typeof listDeliveriesQuery>;

/** The query of GET /v1/deliveries: those of a payment's events, or of one event. */
const listAllDeliveriesQuery = useOneCursor(
  z.strictObject({
    ...cursors(deliveryId),
    payment: paymentId.optional(),
    event: eventId.optional(),
    ...deliveryFilters,
  }),
)
  .refine(({ payment, event }) => (payment ?? event) !== undefined, {
    path: ["payment"],
    error: "says whose deliveries to list, unless event does",
  })
  .refine(({ payment, event }) => payment === undefined || event === undefined, {
    path: ["event"],
    error: "must not be used together with payment: send one of them",
  });
export type ListAllDeliveriesQuery = z.infer<typeof listAllDeliveriesQuery>;

/** A page of deliveries, newest first. */
export const deliveryList = listOf(delivery, "DeliveryList");
export type DeliveryList = z.infer<typeof deliveryList>;

const sincePhrase = "must be a Unix timestamp in seconds, such as 1767225600";

/** The body of POST /v1/webhook_endpoints/{id}/recover: events from this time on, in Unix seconds. */
const recoverEndpointBody = z
  .strictObject({
    since: integer(0, Number.MAX_SAFE_INTEGER, sincePhrase),
  })
  .meta({ id: "RecoverWebhookEndpoint", examples: [{ since: 1_800_000_000 }] });
export type RecoverEndpointBody = z.infer<typeof recoverEndpointBody>;

/** How many events were queued again; with `has_more` another request queues the next ones. */
const recovery = z
  .object({
    object: z.literal("recovery"),
    queued: z.int().min(0).max(maxRecovered),
    has_more: z.boolean(),
  })
  .meta({ id: "Recovery", examples: [{ object: "recovery", queued: 12, has_more: false }] });
export type Recovery = z.infer<typeof recovery>;

/** The outcome of a test of an endpoint: `event` is the id of the event that was sent. The rest is as in a try. */
const webhookTest = z
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

export const deliveryRoutes = {
  listDeliveries: defineRoute("GET /v1/webhook_endpoints/:id/deliveries", {
    summary: "List the deliveries of a webhook endpoint, newest first",
    permission: "read",
    description: "Paging works as for payments. Deliveries are stored as long as their events.",
    query: listDeliveriesQuery,
    response: deliveryList,
  }),
  getDelivery: defineRoute("GET /v1/webhook_endpoints/:id/deliveries/:delivery", {
    summary: "Retrieve a delivery with its last tries, and what the endpoint answered",
    permission: "read",
    description: "The last 20 tries are stored, the newest last.",
    response: deliveryDetails,
  }),
  listAllDeliveries: defineRoute("GET /v1/deliveries", {
    summary: "List the deliveries of a payment or an event to every endpoint, newest first",
    description:
      "Takes either `payment` or `event`. Those of endpoints that were deleted since are among them. Paging works as for payments.",
    query: listAllDeliveriesQuery,
    response: deliveryList,
    permission: "read",
    errors: ["parameter_missing", "resource_missing"],
  }),
  recoverEndpoint: defineRoute("POST /v1/webhook_endpoints/:id/recover", {
    summary: "Queue the events that a webhook endpoint missed",
    permission: "webhooks",
    description:
      "Queues again, in order of creation, the events since a time whose deliveries failed, and those that were not queued because the endpoint was disabled: at most 10,000 in one request, with `has_more` where there are more. What was delivered, or waits for an attempt, is left alone.",
    body: recoverEndpointBody,
    response: recovery,
  }),
  testEndpoint: defineRoute("POST /v1/webhook_endpoints/:id/test", {
    summary: "Send a test event to a webhook endpoint, and return its answer",
    permission: "webhooks",
    description:
      "Sends one signed event of type `webhook.test` at once, to a disabled endpoint as well. It is sent once whatever the outcome, and not stored: it is in no list.",
    body: emptyBody,
    response: webhookTest,
  }),
} satisfies Record<string, Route>;

/** The texts of the API's description: of schemas by their names, of fields by their paths. */
export const deliveryTexts = {
  Delivery: "The delivery of an event to a webhook endpoint.",
  DeliveryList: "A page of deliveries, newest first.",
  DeliveryTry: "One try to deliver an event.",
  DeliveryWithTries: "A delivery with its last tries.",
  RecoverWebhookEndpoint: "From when on to queue missed events.",
  Recovery: "How many events were queued.",
  WebhookTest: "The outcome of a test of a webhook endpoint.",
  event: "The event's id.",
  endpoint: "The id of the webhook endpoint, or listener.",
  type: "The event's type.",
  attempts: "How often it was tried.",
  next_attempt_at: "When it is tried next, in Unix seconds; null if it is not.",
  last_status: "The HTTP status of the last answer; null if there was none.",
  last_error: "Why the last try was no success.",
  "Delivery.status": "Whether it is still to be delivered, was delivered, or was given up.",
  "DeliveryWithTries.status":
    "Whether it is still to be delivered, was delivered, or was given up.",
  "DeliveryWithTries.tries": "The last 20, the newest last.",
  "DeliveryTry.created": "When it began, in Unix seconds.",
  "DeliveryTry.status": "The HTTP status of the answer; null if there was none.",
  "DeliveryTry.duration_ms": "How long it took; null if a listener did not report it.",
  "DeliveryTry.error": "Why it was no success.",
  "DeliveryTry.answer": "The first 1,024 bytes of the answer, as text; secrets are masked.",
  "RecoverWebhookEndpoint.since": "In Unix seconds.",
  "Recovery.queued": "How many events will be sent.",
  "Recovery.has_more": "Whether another request will queue more.",
  "WebhookTest.event": "The id of the event that was sent. It is in no list.",
  "WebhookTest.status": "The HTTP status of the answer; null if there was none.",
  "WebhookTest.duration_ms": "How long it took.",
  "WebhookTest.error": "Why it was no success.",
  "WebhookTest.answer": "The first 1,024 bytes of the answer, as text; secrets are masked.",
};

const statusParameter = {
  text: "Only those in this state, or in one of several, separated by commas.",
  example: "pending,failed",
};

/** The texts and examples of query parameters in the API's description. */
export const deliveryParameters = {
  "/v1/webhook_endpoints/:id/deliveries status": statusParameter,
  "/v1/deliveries status": statusParameter,
  "/v1/deliveries payment": {
    text: "Only those of this payment's events. Either this or `event` is required.",
    example: "pay_0199c5a8-7f3e-7abc-9def-0123456789ab",
  },
  "/v1/deliveries event": {
    text: "Only those of this event.",
    example: "evt_0199c5a8-7f3e-7abc-9def-0123456789ab",
  },
};
