import { type ApiRoute, defineRoute } from "./route.ts";

/** The routes of events, webhook endpoints and listeners. */
export const eventRoutes = {
  listEvents: defineRoute("GET", "/v1/events", "eventList", "List events, newest first", {
    description: "Paging works as for payments. Events are stored for 30 days by default.",
  }),
  getEvent: defineRoute("GET", "/v1/events/:id", "event", "Retrieve an event", {
    description: "The response has the same bytes as the body of the event's webhooks.",
  }),
  resendEvent: defineRoute(
    "POST",
    "/v1/events/:id/resend",
    "deliveryList",
    "Send an event again, to one endpoint or to all that are enabled",
    {
      description:
        "Returns the deliveries that were queued. With `endpoint` the event is sent to it whatever its subscription.",
    },
  ),
  createEndpoint: defineRoute(
    "POST",
    "/v1/webhook_endpoints",
    "endpoint",
    "Create a webhook endpoint",
    {
      status: 201,
      description:
        "Returns the endpoint's `secret`, which is not shown again. With `url` null the endpoint is a listener: it fetches its deliveries instead of receiving requests. An account has at most 16 endpoints in each mode, and 16 listeners.",
    },
  ),
  listEndpoints: defineRoute(
    "GET",
    "/v1/webhook_endpoints",
    "endpointList",
    "List webhook endpoints, newest first",
    { description: "Listeners are among them: their `url` is null. No `secret` is shown." },
  ),
  getEndpoint: defineRoute(
    "GET",
    "/v1/webhook_endpoints/:id",
    "endpoint",
    "Retrieve a webhook endpoint",
    {
      description: "Returns the endpoint without its `secret`.",
    },
  ),
  updateEndpoint: defineRoute(
    "POST",
    "/v1/webhook_endpoints/:id",
    "endpoint",
    "Change a webhook endpoint",
    {
      description:
        "While an endpoint is disabled, no events are queued for it, and its pending deliveries fail. Once enabled again it gets new events.",
    },
  ),
  rollEndpoint: defineRoute(
    "POST",
    "/v1/webhook_endpoints/:id/roll",
    "endpoint",
    "Give a webhook endpoint a new secret",
    {
      description:
        "Returns the new `secret`. The old one also signs until `overlap_hours` have passed: 24 by default, none with 0.",
    },
  ),
  deleteEndpoint: defineRoute(
    "DELETE",
    "/v1/webhook_endpoints/:id",
    "deletedEndpoint",
    "Delete a webhook endpoint",
    { description: "Deliveries that are still pending are not sent." },
  ),
  listDeliveries: defineRoute(
    "GET",
    "/v1/webhook_endpoints/:id/deliveries",
    "deliveryList",
    "List the deliveries of a webhook endpoint, newest first",
    { description: "Paging works as for payments. Deliveries are stored as long as their events." },
  ),
  getDelivery: defineRoute(
    "GET",
    "/v1/webhook_endpoints/:id/deliveries/:delivery",
    "deliveryDetails",
    "Retrieve a delivery with its last tries, and what the endpoint answered",
    { description: "The last 20 tries are stored, the newest last." },
  ),
  recoverEndpoint: defineRoute(
    "POST",
    "/v1/webhook_endpoints/:id/recover",
    "recovery",
    "Queue the events that a webhook endpoint missed",
    {
      description:
        "Queues again, in order of creation, the events since a time whose deliveries failed, and those that were not queued because the endpoint was disabled: at most 10,000 in one request, with `has_more` where there are more. What was delivered, or waits for an attempt, is left alone.",
    },
  ),
  testEndpoint: defineRoute(
    "POST",
    "/v1/webhook_endpoints/:id/test",
    "webhookTest",
    "Send a test event to a webhook endpoint, and return its answer",
    {
      description:
        "Sends one signed event of type `webhook.test` at once, to a disabled endpoint as well. It is sent once whatever the outcome, and not stored: it is in no list.",
    },
  ),
  startListener: defineRoute(
    "POST",
    "/v1/webhook_endpoints/:id/start",
    "endpoint",
    "Choose where a listener continues",
    {
      ignoresKey: true,
      description:
        "For `payments listen`. Without `since` and `only_new` the listener continues with its pending deliveries of the last 24 hours; deliveries that were taken but not reported are due again at once.",
    },
  ),
  takeDeliveries: defineRoute(
    "POST",
    "/v1/webhook_endpoints/:id/take",
    "leasedList",
    "Take the deliveries of a listener, waiting for the first",
    {
      ignoresKey: true,
      description:
        "For `payments listen`. A delivery that is not reported within `lease_seconds`, 60 by default, is due again. A listener has one waiting request: a second one, or too many listeners, end the wait early with an empty list.",
    },
  ),
  reportDelivery: defineRoute(
    "POST",
    "/v1/webhook_endpoints/:id/report",
    "delivery",
    "Report the outcome of a delivery that a listener took",
    {
      ignoresKey: true,
      description:
        "For `payments listen`. A delivery that was not delivered is due again after 1 s, 5 s, 30 s and 2 min. With `attempts` a report that comes twice, or too late, changes nothing.",
    },
  ),
} satisfies Record<string, ApiRoute>;
