import * as z from "zod";
import { event } from "./event.ts";
import {
  deliveryIdPattern,
  deliveryStatuses,
  eventIdPattern,
  eventTypes,
  maxErrorLength,
  maxDeliveriesPerRequest,
  maxLeaseSeconds,
  maxReportedAnswer,
  maxTries,
  maxWaitSeconds,
} from "./field-values.ts";
import { deliveryId, integer, smallInteger, text } from "./field-schemas.ts";
import { createdRange, listOf, listQuery } from "./list.ts";

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
export const deliveryDetails = delivery
  .extend({ tries: z.array(deliveryTry).max(maxTries) })
  .meta({ id: "DeliveryWithTries" });
export type DeliveryDetails = z.infer<typeof deliveryDetails>;

/**
 * The query of GET /v1/webhook_endpoints/{id}/deliveries. The times are those of the events, or of the resend; a
 * status is looked for in the whole of that time.
 */
export const listDeliveriesQuery = listQuery(deliveryId, {
  status: z
    .enum(deliveryStatuses, { error: `must be one of ${deliveryStatuses.join(", ")}` })
    .optional(),
  ...createdRange,
});
export type ListDeliveriesQuery = z.infer<typeof listDeliveriesQuery>;

/** A page of deliveries, newest first. */
export const deliveryList = listOf(delivery, "DeliveryList");
export type DeliveryList = z.infer<typeof deliveryList>;

/** A delivery for a listener, with its whole event. */
const listenerDelivery = delivery.extend({ event }).meta({ id: "TakenDelivery" });
export type ListenerDelivery = z.infer<typeof listenerDelivery>;
export const listenerDeliveryList = listOf(listenerDelivery, "TakenDeliveryList");

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
