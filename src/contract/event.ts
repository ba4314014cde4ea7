import * as z from "zod";
import { deliveryList } from "./delivery.ts";
import {
  createdRange,
  endpointId,
  eventId,
  listOf,
  listQuery,
  paymentId,
  smallInteger,
} from "./list.ts";
import { eventIdPattern, eventTypes, testEventType } from "./field-values.ts";
import { payment } from "./payment.ts";
import { defineRoute, type Route } from "./route.ts";
import { webhookEndpoint } from "./webhook-endpoint.ts";

const type = z.enum(eventTypes, { error: `must be one of ${eventTypes.join(", ")}` });

/**
 * An event: a payment, as it was when it came to be in a state. `sequence` counts the payment's events from
 * 1; a receiver ignores a lower one than it has seen. `created` is in Unix seconds.
 */
export const event = z
  .object({
    id: z.string().regex(eventIdPattern),
    object: z.literal("event"),
    type: z.enum(eventTypes).meta({ isOpen: true }),
    created: z.int(),
    livemode: z.boolean(),
    sequence: smallInteger().min(1),
    data: z.object({ object: payment }),
  })
  .meta({ id: "Event" });
export type Event = z.infer<typeof event>;

/**
 * The event that a test of an endpoint sends: an event of the endpoint itself, without its secret. It is in no list,
 * and has no delivery.
 */
export const testEvent = z
  .object({
    ...event.shape,
    type: z.literal(testEventType),
    data: z.object({ object: webhookEndpoint }),
  })
  .meta({ id: "TestEvent" });
export type TestEvent = z.infer<typeof testEvent>;

/**
 * An event of a type that this version does not know. Its `type` is a string that is marked, and has a form, so that the
 * compiler still tells the others apart by a comparison with a known type.
 */
export type UnknownEvent = Omit<Event, "type" | "data"> & {
  type: `${string}.${string}` & { readonly [unknownType]: true };
  data: { object: { id: string; object: string; [field: string]: unknown } };
};
declare const unknownType: unique symbol;

/** The body of a webhook. */
export type WebhookEvent = Event | TestEvent | UnknownEvent;

/** The query of GET /v1/events: events are listed as payments are. */
const listEventsQuery = listQuery(eventId, {
  type: type.optional(),
  payment: paymentId.optional(),
  ...createdRange,
});
export type ListEventsQuery = z.infer<typeof listEventsQuery>;

/** A page of events, newest first. */
const eventList = listOf(event, "EventList");
export type EventList = z.infer<typeof eventList>;

/** The body of POST /v1/events/{id}/resend: one endpoint, or without it all that are enabled. */
const resendEventBody = z
  .strictObject({
    endpoint: endpointId.nullish(),
  })
  .meta({ id: "ResendEvent" });
export type ResendEventBody = z.infer<typeof resendEventBody>;

export const eventRoutes = {
  listEvents: defineRoute("GET /v1/events", {
    summary: "List events, newest first",
    permission: "read",
    description: "Paging works as for payments. Events are stored for 30 days by default.",
    query: listEventsQuery,
    response: eventList,
  }),
  getEvent: defineRoute("GET /v1/events/:id", {
    summary: "Retrieve an event",
    permission: "read",
    description: "The response has the same bytes as the body of the event's webhooks.",
    response: event,
  }),
  resendEvent: defineRoute("POST /v1/events/:id/resend", {
    summary: "Send an event again, to one endpoint or to all that are enabled",
    permission: "webhooks",
    description:
      "Returns the deliveries that were queued. With `endpoint` the event is sent to it whatever its subscription.",
    body: resendEventBody,
    response: deliveryList,
  }),
} satisfies Record<string, Route>;

/** The texts of the API's description: of schemas by their names, of fields by their paths. */
export const eventTexts = {
  Event: "A payment as it was when it came to be in a state.",
  TestEvent: "What a test of a webhook endpoint sends: an event about the endpoint itself.",
  EventList: "A page of events, newest first.",
  ResendEvent: "Where to send an event again.",
  "Event.type":
    "The state that the payment has entered; see `examples`. Others may come: answer them with 2xx, and do nothing.",
  "Event.sequence": "Counts the events of one payment from 1.",
  "Event.data": "What the event is about.",
  "TestEvent.type": "No endpoint subscribes to this type.",
  "TestEvent.sequence": "Always 1.",
  "TestEvent.data": "What the event is about.",
  "ResendEvent.endpoint": "Only to this endpoint. By default to all that are enabled.",
};

/** The texts and examples of query parameters in the API's description. */
export const eventParameters = {
  type: { text: "Only events of this type.", example: "payment.failed" },
  payment: {
    text: "Only those of this payment.",
    example: "pay_0199c5a8-7f3e-7abc-9def-0123456789ab",
  },
};
