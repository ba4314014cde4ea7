import { eventRoutes } from "./event-routes.ts";
import { paymentRoutes } from "./payment-routes.ts";
import { type ApiRoute, defineRoute } from "./route.ts";

export const defaultPageSize = 10;
export const maxPageSize = 100;

/** Every endpoint of the API, for the server, the client and /openapi.json. Their schemas are in schemas.ts. */
export const routes = {
  ...paymentRoutes,
  ...eventRoutes,
  listRequests: defineRoute("GET", "/v1/requests", "requestList", "List requests, newest first", {
    description:
      "The requests of this account and mode that wrote, were refused or failed; reads that succeeded are not among them. They are stored for 7 days by default, at most 1,000,000 of them. A request is listed within 2 seconds of its response, and by the time at which it began: a long one may appear behind newer ones. `status` takes exact statuses and classes, separated by commas: `404`, `4xx,5xx`.",
  }),
  getRequest: defineRoute("GET", "/v1/requests/:id", "request", "Retrieve a request", {
    description: "The id is that of the header `Service-Request-Id`, or `request_id` of an error.",
  }),
} satisfies Record<string, ApiRoute>;
