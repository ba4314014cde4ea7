import * as z from "zod";
import {
  deliveryIdPattern,
  endpointIdPattern,
  eventIdPattern,
  paymentIdPattern,
  requestIdPattern,
} from "./field-values.ts";
import { type Route, defineRoute } from "./route.ts";

/** What a moment of a payment's history is about. */
const momentKinds = [
  "created",
  "replayed",
  "refused",
  "challenged",
  "challenge_ended",
  "succeeded",
  "failed",
  "refund_requested",
  "refunded",
  "canceled",
  "delivered",
  "delivery_failed",
  "resent",
] as const;

/** What is due next of a payment. */
const dueKinds = ["settlement", "expiry", "delivery", "refund"] as const;

const authorTypes = ["key", "operator", "customer", "network", "service"] as const;

/** The author of a moment. `id` is that of a key or an operator, `name` the name that it had then. */
const author = z.object({
  type: z.enum(authorTypes).meta({ isOpen: true }),
  id: z.string().nullable(),
  name: z.string().nullable(),
});

/** A moment: `text` says in English what happened; the ids lead to what it is about. */
const moment = z
  .object({
    at: z.int(),
    kind: z.enum(momentKinds).meta({ isOpen: true }),
    text: z.string(),
    by: author.nullable(),
    request: z.string().regex(requestIdPattern).nullable(),
    event: z.string().regex(eventIdPattern).nullable(),
    delivery: z.string().regex(deliveryIdPattern).nullable(),
    endpoint: z.string().regex(endpointIdPattern).nullable(),
  })
  .meta({ id: "Moment" });
export type Moment = z.infer<typeof moment>;

const dueMoment = z
  .object({ at: z.int(), kind: z.enum(dueKinds).meta({ isOpen: true }), text: z.string() })
  .meta({ id: "DueMoment" });
export type DueMoment = z.infer<typeof dueMoment>;

/** The newest moments of a history are returned, at most so many. */
export const maxMoments = 1_000;

/** All that is stored of what happened to a payment, oldest first, and what is due. Times are Unix seconds. */
const history = z
  .object({
    object: z.literal("history"),
    payment: z.string().regex(paymentIdPattern),
    data: z.array(moment).max(maxMoments),
    due: z.array(dueMoment),
    has_more: z.boolean(),
  })
  .meta({ id: "History" });
export type History = z.infer<typeof history>;

export const historyRoutes = {
  getHistory: defineRoute("GET /v1/payments/:id/history", {
    permission: "read",
    summary: "Retrieve the history of a payment",
    description:
      "All that is stored of what happened to a payment, oldest first: who made and changed it, what its customer, the bank and the card network did, and each try to deliver its events. `data` has the newest 1,000 moments; `has_more` says that there are older ones. `due` is what the service will do next. Instead of a payment's id that of a request, an event or a delivery leads to the payment that it is about. Requests appear within 2 seconds, and as long as they are logged; events and deliveries are stored for 30 days by default.",
    response: history,
  }),
} satisfies Record<string, Route>;

/** The texts of the API's description: of schemas by their names, of fields by their paths. */
export const historyTexts = {
  History: "What happened to a payment, and what is due.",
  Moment: "One moment of a payment's history.",
  DueMoment: "What the service will do next about a payment.",
  at: "When, in Unix seconds.",
  "History.payment": "The id of the payment.",
  "History.data": "What happened, oldest first; the newest 1,000 moments.",
  "History.due": "What is due, the next first.",
  "History.has_more": "Whether there are older moments.",
  "Moment.kind":
    "What happened; see `examples`. Others may come. `replayed`: the same request came again, and was answered from its record. `refused`: a request about the payment was refused or failed.",
  "Moment.text": "What happened, in English, for people.",
  "Moment.by": "Who did it; null where that is not known.",
  "Moment.by.type": "Which kind of author it is; see `examples`. Others may come.",
  "Moment.by.id": "The id of a key or an operator.",
  "Moment.by.name": "The name that it had then.",
  "Moment.request": "The id of the request that did it.",
  "Moment.event": "The id of the event that it made, or that was delivered.",
  "Moment.delivery": "The id of the delivery.",
  "Moment.endpoint": "The id of the webhook endpoint.",
  "DueMoment.kind": "What is due; see `examples`. Others may come.",
  "DueMoment.text": "What will happen, in English, for people.",
};
