import * as z from "zod";
import { delivery } from "./delivery.ts";
import { event } from "./event.ts";
import { deliveryId, integer, listOf, text } from "./list.ts";
import {
  maxDeliveriesPerRequest,
  maxErrorLength,
  maxLeaseSeconds,
  maxReportedAnswer,
  maxWaitSeconds,
} from "./field-values.ts";
import { defineRoute, type Route } from "./route.ts";
import { webhookEndpoint } from "./webhook-endpoint.ts";

/** A delivery for a listener, with its whole event. */
const listenerDelivery = delivery.extend({ event }).meta({ id: "TakenDelivery" });
export type ListenerDelivery = z.infer<typeof listenerDelivery>;

const listenerDeliveryList = listOf(listenerDelivery, "TakenDeliveryList");

const sincePhrase = "must be a Unix timestamp in seconds, such as 1767225600";

/**
 * The body of POST /v1/webhook_endpoints/{id}/start: `since` queues the events from then on that have not
 * reached this listener, `only_new` drops its pending deliveries.
 */
export const startListenerBody = z
  .strictObject({
    since: integer(0, Number.MAX_SAFE_INTEGER, sincePhrase).nullish(),
    only_new: z.boolean({ error: "must be true or false" }).nullish(),
  })
  .refine((body) => !(body.only_new && typeof body.since === "number"), {
    path: ["only_new"],
    error: "must not be used together with since: send one of them",
  })
  .meta({ id: "StartListener" });
export type StartListenerBody = z.infer<typeof startListenerBody>;

const waitPhrase = `must be a number from 0 to ${maxWaitSeconds}`;

/**
 * The body of POST /v1/webhook_endpoints/{id}/take: how many deliveries, how long to wait for the first, and how long
 * they are the listener's before they are due again.
 */
export const takeDeliveriesBody = z
  .strictObject({
    limit: integer(
      1,
      maxDeliveriesPerRequest,
      `must be an integer from 1 to ${maxDeliveriesPerRequest}`,
    ).nullish(),
    wait_seconds: z
      .number({ error: waitPhrase })
      .min(0, { error: waitPhrase })
      .max(maxWaitSeconds, { error: waitPhrase })
      .nullish(),
    lease_seconds: integer(
      1,
      maxLeaseSeconds,
      `must be an integer from 1 to ${maxLeaseSeconds}`,
    ).nullish(),
  })
  .meta({ id: "TakeDeliveries" });
export type TakeDeliveriesBody = z.infer<typeof takeDeliveriesBody>;

const attemptsPhrase = "must be the delivery's attempts as they were when it was taken";

// A program in development may respond with a status of no standard.
const maxStatus = 999;

const statusPhrase = `must be an HTTP status, from 100 to ${maxStatus}, or null`;

const durationPhrase = "must be an integer of milliseconds, at most a day, or null";

const answerPhrase = `must be a string of at most ${maxReportedAnswer} characters, or null`;

/**
 * The body of POST /v1/webhook_endpoints/{id}/report: the outcome of a delivery. With `attempts`, as they
 * were when the listener took it, a duplicate or late report changes nothing. `duration_ms` and `answer`, of which the
 * beginning is stored, are those of its try.
 */
export const reportDeliveryBody = z
  .strictObject({
    delivery: deliveryId,
    attempts: integer(0, Number.MAX_SAFE_INTEGER, attemptsPhrase)
      .meta({ format: "int32" })
      .nullish(),
    delivered: z.boolean({ error: "must be true or false" }),
    last_status: integer(100, maxStatus, statusPhrase).nullish(),
    last_error: text({ max: maxErrorLength }).nullish(),
    duration_ms: integer(0, maxLeaseSeconds * 1000, durationPhrase).nullish(),
    answer: z
      .string({ error: answerPhrase })
      .max(maxReportedAnswer, { error: answerPhrase })
      .nullish(),
  })
  .meta({ id: "ReportDelivery" });
export type ReportDeliveryBody = z.infer<typeof reportDeliveryBody>;

export const listenerRoutes = {
  startListener: defineRoute("POST /v1/webhook_endpoints/:id/start", {
    summary: "Choose where a listener continues",
    permission: "webhooks",
    description:
      "For `payments listen`. Without `since` and `only_new` the listener continues with its pending deliveries of the last 24 hours; deliveries that were taken but not reported are due again at once.",
    body: startListenerBody,
    response: webhookEndpoint,
    ignoresKey: true,
  }),
  takeDeliveries: defineRoute("POST /v1/webhook_endpoints/:id/take", {
    summary: "Take the deliveries of a listener, waiting for the first",
    permission: "webhooks",
    description:
      "For `payments listen`. A delivery that is not reported within `lease_seconds`, 60 by default, is due again. A listener has one waiting request: a second one, or too many listeners, end the wait early with an empty list.",
    body: takeDeliveriesBody,
    response: listenerDeliveryList,
    ignoresKey: true,
  }),
  reportDelivery: defineRoute("POST /v1/webhook_endpoints/:id/report", {
    summary: "Report the outcome of a delivery that a listener took",
    permission: "webhooks",
    description:
      "For `payments listen`. A delivery that was not delivered is due again after 1 s, 5 s, 30 s and 2 min. With `attempts` a report that comes twice, or too late, changes nothing.",
    body: reportDeliveryBody,
    response: delivery,
    ignoresKey: true,
  }),
} satisfies Record<string, Route>;

/** The texts of the API's description: of schemas by their names, of fields by their paths. */
export const listenerTexts = {
  StartListener: "Where the listener continues. Both fields together are refused.",
  TakeDeliveries: "How many deliveries to take, and for how long.",
  TakenDelivery: "A delivery that the listener has for a while, with its whole event.",
  TakenDeliveryList: "The deliveries that were taken; none, if there was none in time.",
  ReportDelivery: "The outcome of a delivery that was taken.",
  "TakenDelivery.status": "Whether it is still to be delivered, was delivered, or was given up.",
  "StartListener.since": "Queues the events since this time, in Unix seconds.",
  "StartListener.only_new": "Drops what is pending.",
  "TakeDeliveries.limit": "How many at most.",
  "TakeDeliveries.wait_seconds": "How long to wait for the first.",
  "TakeDeliveries.lease_seconds": "After how long they are due again, unless they are reported.",
  "ReportDelivery.delivery": "The delivery's id.",
  "ReportDelivery.attempts": "The delivery's `attempts` as they were when it was taken.",
  "ReportDelivery.delivered": "Whether it was a success.",
  "ReportDelivery.duration_ms": "How long it took.",
  "ReportDelivery.answer": "The answer, as text. Its first 1,024 bytes are stored.",
};
