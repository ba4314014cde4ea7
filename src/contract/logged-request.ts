import * as z from "zod";
import { createdRange, idOf, listOf, listQuery, paymentId, smallInteger } from "./list.ts";
import {
  maxStatusFilterLength,
  paymentIdPattern,
  requestIdPattern,
  requestMethods,
  statusFilterPattern,
} from "./field-values.ts";
import {
  type Route,
  defineRoute,
  findIdempotencyKeyMistake,
  idempotencyKeyPattern,
} from "./route.ts";

/**
 * A request of the API as the service logged it: one that wrote, was refused or failed. Never a body, a query, digits
 * of a card or a key. `duration_ms` is the time until the response was ready, to a tenth; `key` is the API key that was
 * sent, with the name that it had; `payment` is the payment that the request made or named, whose event it sent
 * again, or whose idempotency key it used for something else. `created` is in Unix seconds.
 */
const loggedRequest = z
  .object({
    id: z.string().regex(requestIdPattern),
    object: z.literal("request"),
    created: z.int(),
    method: z.string(),
    path: z.string(),
    status: smallInteger(),
    duration_ms: z.number().min(0),
    key: z.object({ id: z.string(), name: z.string() }),
    error: z
      .object({ type: z.string(), code: z.string(), param: z.string().nullable() })
      .nullable(),
    payment: z.string().regex(paymentIdPattern).nullable(),
    idempotency_key: z.string().nullable(),
    replayed: z.boolean(),
    livemode: z.boolean(),
  })
  .meta({ id: "Request" });
export type LoggedRequest = z.infer<typeof loggedRequest>;

const requestId = idOf(requestIdPattern, "a request, such as req_0199…");

const idempotencyKey = z
  .string()
  .superRefine((key, context) => {
    const mistake = findIdempotencyKeyMistake(key);
    if (mistake !== undefined) context.addIssue({ code: "custom", message: mistake });
  })
  .meta({ pattern: idempotencyKeyPattern.source, maxLength: 255 });

/** The query of GET /v1/requests. */
export const listRequestsQuery = listQuery(requestId, {
  status: z
    .string()
    .regex(statusFilterPattern, {
      error: "must be statuses such as 404, or classes such as 4xx, separated by commas: 4xx,5xx",
    })
    .meta({ maxLength: maxStatusFilterLength })
    .optional(),
  method: z
    .enum(requestMethods, { error: `must be one of ${requestMethods.join(", ")}, in capitals` })
    .optional(),
  payment: paymentId.optional(),
  idempotency_key: idempotencyKey.optional(),
  ...createdRange,
});
export type ListRequestsQuery = z.infer<typeof listRequestsQuery>;

/** A page of logged requests, newest first. */
const requestList = listOf(loggedRequest, "RequestList");
export type RequestList = z.infer<typeof requestList>;

export const requestRoutes = {
  listRequests: defineRoute("GET /v1/requests", {
    summary: "List requests, newest first",
    permission: "read",
    description:
      "The requests of this account and mode that wrote, were refused or failed; reads that succeeded are not among them. They are stored for 7 days by default, at most 1,000,000 of them. A request is listed within 2 seconds of its response, and by the time at which it began: a long one may appear behind newer ones. `status` takes exact statuses and classes, separated by commas: `404`, `4xx,5xx`.",
    query: listRequestsQuery,
    response: requestList,
  }),
  getRequest: defineRoute("GET /v1/requests/:id", {
    summary: "Retrieve a request",
    permission: "read",
    description: "The id is that of the header `Service-Request-Id`, or `request_id` of an error.",
    response: loggedRequest,
  }),
} satisfies Record<string, Route>;

/** The texts of the API's description: of schemas by their names, of fields by their paths. */
export const requestTexts = {
  Request: "A logged request: one that wrote, was refused or failed.",
  RequestList: "A page of logged requests, newest first.",
  "Request.created": "When it began, in Unix seconds.",
  "Request.method": "The HTTP method.",
  "Request.path": "The path, without its query.",
  "Request.status": "The HTTP status of the response.",
  "Request.duration_ms": "The time until the response was ready.",
  "Request.key": "The API key that was sent.",
  "Request.key.id": "Identifies the key. It is not the key itself.",
  "Request.key.name": "The name that the key had.",
  "Request.error": "Why it was refused or failed; null if it succeeded.",
  "Request.error.type": "The kind of error.",
  "Request.error.code": "Which error it is.",
  "Request.error.param": "The field, parameter or header at fault.",
  "Request.payment":
    "The id of the payment that it made or named, whose event it sent again, or whose idempotency key it used for something else.",
  "Request.idempotency_key": "The `Idempotency-Key` that was sent.",
  "Request.replayed": "Whether the response was a stored one.",
};

/** The texts and examples of query parameters in the API's description. */
export const requestParameters = {
  "/v1/requests status": {
    text: "Only those with these HTTP statuses or classes of them, up to ten, separated by commas.",
    example: "404,5xx",
  },
  method: { text: "Only those with this HTTP method.", example: "POST" },
  idempotency_key: {
    text: "Only those with this `Idempotency-Key`.",
    example: "4b4f3b0e-9c1d-4a53-8f0e-2f6a1f3f7c55",
  },
};
